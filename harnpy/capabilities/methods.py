"""The table of all harness methods: member, method, and what implements it (builtins 3.2 to 3.7).

An entry is ``method`` (the global builtin of that name), ``method=global``, or
``method=module:function`` with the module below ``harnpy``. Nothing is imported before a method is asked
for. An entry whose builtin does not exist yet gives a method that says so when it is called.
"""

from __future__ import annotations

METHODS: dict[str, str] = {
    "stdio": """
        print println eprint eprintln log read_line read_stdin prompt=prompt_user
        is_stdin_tty is_stdout_tty is_stderr_tty progress
    """,
    "term": """
        width=term_width height=term_height set_color_mode is_tty=builtins.terminal:is_tty
        read_password=builtins.terminal:read_password
    """,
    "clock": "now_ms timestamp monotonic_ms elapsed sleep_ms=capabilities.clock:sleep_ms date_iso now=date_now",
    "random": """
        f64=capabilities.random:f64 gen_f64=capabilities.random:f64 u64=capabilities.random:u64
        gen_u64=capabilities.random:u64 range=capabilities.random:inclusive_range
        gen_range=capabilities.random:inclusive_range choice=random_choice shuffle=random_shuffle uuid uuid_v7
        bytes=capabilities.random:random_bytes seed=rng_seed
    """,
    "fs": """
        read_text=read_file read_text_result=capabilities.fs:read_text_result read_bytes=read_file_bytes read_lines
        write_text=write_file write_bytes=write_file_bytes append=append_file exists=file_exists stat
        delete=delete_file copy=copy_file rename=move_file mkdir list_dir walk=walk_dir glob
        temp_dir cwd source_dir project_root workspace_root=execution_root home_dir runtime_paths
        render_prompt render_prompt_with_provenance=render_with_provenance render_template=render_string
        append_locked=capabilities.fs_replace:append_locked
        read_lines_page_result=capabilities.fs_search:read_lines_page_result
        replace_text=capabilities.fs_replace:replace_text replace_bytes=capabilities.fs_replace:replace_bytes
        replace_text_result=capabilities.fs_replace:replace_text_result
        replace_bytes_result=capabilities.fs_replace:replace_bytes_result
        status=capabilities.fs_search:status find_text=capabilities.fs_search:find_text
        workspace_temp_dir=builtins.directories:workspace_temp_dir mkdtemp=builtins.directories:mkdtemp
        mkdtemp_in_workspace=builtins.directories:mkdtemp_in_workspace
    """,
    "env": "get=env get_or=env_or",
    "net": """
        get=http_get delete=http_delete post=http_post put=http_put patch=http_patch request=http_request
        download=http_download egress_policy jsonrpc_call jsonrpc_batch unix_socket_json_request
        connector_call
    """,
    "process": """
        exec exec_at shell shell_at run=capabilities.process:run list_shells=capabilities.process:list_shells
        default_shell=capabilities.process:default_shell shell_invocation=capabilities.process:shell_invocation cancel
    """,
    "system": "platform identity=capabilities.system:identity cpu memory gpus temperature processes",
    "secrets": "read read_bytes write delete rotate lease lease_bytes",
    "crypto": "sha256",
    "llm": """
        call=llm_call call_safe=llm_call_safe call_structured=llm_call_structured
        call_structured_safe=llm_call_structured_safe call_structured_result=llm_call_structured_result
        recover_schema=schema_recover completion=llm_completion stream=llm_stream stream_call=llm_stream_call
        with_rate_limit=llm_with_rate_limit rate_limit=llm_rate_limit routing_policy catalog=llm_catalog
        catalog_refresh=llm_catalog_refresh providers=llm_providers provider_catalog=llm_provider_catalog
        available_providers=llm_available_providers list_providers_native=llm_providers model_info=llm_model_info
        model_defaults=llm_model_defaults model_ladder=llm_model_ladder model_tier=llm_model_tier
        known_models=llm_known_models equivalent_models=llm_equivalent_models pick_model=llm_pick_model
        resolve_model=llm_resolve_model resolved_options=llm_resolved_options infer_provider=llm_infer_provider
        qc_default_model=llm_qc_default_model execution_contract=llm_execution_contract
        complementary_reviewer=llm_complementary_reviewer apply_reasoning_policy=llm_apply_reasoning_policy
        reasoning_effort_budget=llm_reasoning_effort_budget config=llm_config healthcheck=llm_healthcheck
        provider_capabilities provider_capabilities_install provider_capabilities_clear provider_register
        upload_file=llm_upload_file self_certainty=llm_self_certainty session_cost=llm_session_cost
        budget=llm_budget budget_remaining=llm_budget_remaining mock_enqueue=llm_mock mock_calls=llm_mock_calls
        mock_clear=llm_mock_clear mock_snapshot=llm_mock_snapshot mock_push_scope=llm_mock_push_scope
        mock_pop_scope=llm_mock_pop_scope mock_load_jsonl=llm_mock_load_jsonl mock_receipts=llm_mock_receipts
        mock_known_scopes=llm_mock_known_scopes
    """,
    "agent": """
        emit_event=agent_emit_event subscribe=agent_subscribe capture_events=agent_capture_events
        open=agent_session_open exists=agent_session_exists length=agent_session_length
        snapshot=agent_session_snapshot fork=agent_session_fork session_open=agent_session_open
        session_exists=agent_session_exists session_length=agent_session_length
        session_snapshot=agent_session_snapshot session_messages=agent_session_messages
        session_current_id=agent_session_current_id session_inject=agent_session_inject
        session_reset=agent_session_reset session_fork=agent_session_fork session_fork_at=agent_session_fork_at
        session_ancestry=agent_session_ancestry session_trim=agent_session_trim
        session_compact=agent_session_compact session_close=agent_session_close
    """,
    "tools": """
        list_registered=capabilities.tools:list_registered invoke=capabilities.tools:invoke remove=tool_remove
        dispatch_agent_call
        dispatch_agent_batch composition_execute register_hook clear_hooks synthesize
        read_file write_file delete_file
    """,
    "runtime": """
        atomic atomic_get atomic_set atomic_add atomic_cas circuit_breaker circuit_check circuit_try
        circuit_release circuit_record_failure circuit_record_success circuit_reset channel send receive
        try_receive close_channel channel_is_closed select channel_select yield_now
        shared_cell shared_get shared_set shared_snapshot shared_cas shared_map shared_map_get shared_map_set
        shared_map_delete shared_map_cas shared_map_snapshot shared_map_entries shared_metrics shared_scope_id
        sync_mutex_acquire sync_rwlock_acquire sync_semaphore_acquire sync_gate_acquire sync_release sync_metrics
        mailbox_open mailbox_lookup mailbox_send mailbox_try_receive mailbox_receive mailbox_close
        mailbox_metrics supervisor_start supervisor_state supervisor_events supervisor_metrics supervisor_stop
        timer_start timer_end parallel_race context=runtime_context context_values=runtime_context_values
        context_get=runtime_context_get context_set=runtime_context_set context_clear=runtime_context_clear
        store_get store_set store_delete store_list store_save store_clear task=capabilities.run_facts:task
        pipeline_input=capabilities.run_facts:pipeline_input dry_run=capabilities.run_facts:dry_run exit
        host_has host_capabilities select_list select_timeout select_try is_cancelled
        prompt_content approved_plan record_run introspection
    """,
    "obs": """
        log log_debug log_info log_warn log_error set_level=log_set_level log_json
        span=capabilities.obs:span start_span=trace_start end_span=trace_end
        counter=capabilities.obs:counter histogram=capabilities.obs:histogram gauge=capabilities.obs:gauge
        emit=capabilities.obs:emit events=capabilities.obs:events events_take=capabilities.obs:events_take
        reset=capabilities.obs:reset
        event_log_emit=builtins.events:topic_emit event_log_latest=builtins.events:topic_latest
        event_log_read=builtins.events:topic_read event_log_topics=builtins.events:topic_names
        event_log_subscribe=builtins.topic_streams:topic_subscribe trace_start trace_end trace_id trace_spans
        trace_summary enable_tracing llm_info llm_usage
        request_id configure auto_backend metrics_inc agent_trace=capabilities.llm_extras:agent_trace
        agent_trace_summary=capabilities.llm_extras:agent_trace_summary event_log_describe
        event_log_verify event_log_emit_idempotent
    """,
    "testing": """
        respond=capabilities.testing:respond respond_error=capabilities.testing:respond_error
        calls=capabilities.testing:calls push_scope=capabilities.testing:push_scope
        pop_scope=capabilities.testing:pop_scope clear=capabilities.testing:clear
        is_active=capabilities.testing:is_active clock_set=mock_time clock_advance=advance_time
        clock_reset=unmock_time http_mock http_mock_clear http_mock_calls stdin_set=mock_stdin
        stdin_reset=unmock_stdin tty_set=mock_tty tty_reset=unmock_tty capture_stderr_start capture_stderr_take
        sse_mock websocket_mock sqlite_mock_db pg_mock_pool clock_leaks fs_diff
    """,
    "interaction": "ask ask_user request_approval dual_control escalate_to hitl_pending",
    "project": "fingerprint catalog enrich content_hash",
    "channels": "append events subscribe consumer_cursor ack flush_aggregations",
    "auth": "is_authenticated subject try_subject scheme try_scheme kind scopes has_scope",
    "tenant": "id try_id",
    "session": "",
    "verdict": "issue same_run",
    "embed": "text",
    "memory": "open store recall summarize forget update list",
    "sqlite": "open",
    "postgres": "connect pool",
    "rules": "visit",
    "code_index": "file_hash_snapshot",
}

ROOT_METHODS = """
    unsettled_state is_empty counts summary resume_subagent cancel_subagent wait_for_any_settlement
    current_pipeline_id handoff_to emit_audit acknowledge_trigger defer_trigger acknowledge_handoff finalize
    spawn_settlement_agent with_net_policy is_quarantined
"""

# Method names with these beginnings belong to the language; those without an entry say that they are not built.
FAMILIES: dict[str, tuple[str, ...]] = {
    "net": ("stream_", "session", "sse_", "websocket_", "server_", "cookie_", "http_"),
    "process": ("git_",),
    "tools": ("mcp_",),
    "agent": ("session_", "state_", "worker_"),
    "runtime": ("checkpoint", "supervisor_"),
    "obs": ("friction_", "event_log_"),
    "testing": ("transport_mock_", "sse_server_mock_"),
    "project": ("metadata_", "scan", "path_metadata_"),
    "channels": ("guardrail_",),
}

# Names in the tables that happen to be global builtins of another meaning: never taken from there.
NOT_GLOBAL = frozenset(
    """
    project.catalog channels.append channels.events channels.subscribe auth.kind
    auth.scopes tenant.id interaction.ask secrets.delete secrets.read_bytes secrets.read secrets.write
    system.memory system.cpu sqlite.open memory.open memory.store memory.update memory.list embed.text
    verdict.issue rules.visit process.cancel
    """.split()
)


def parse(entries: str) -> dict[str, str]:
    """Give method name to row for one member of the table."""
    rows = {}
    for entry in entries.split():
        method, _, row = entry.partition("=")
        rows[method] = row or method
    return rows
