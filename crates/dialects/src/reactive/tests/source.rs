//! The forms that the source of this dialect writes are read as they are written.

use super::{codes, good, told};
use crate::js;

const HEAD: &str = "name: \"standards:fix\"\ndescription: d\nversion: \"1.0.0\"\n";

#[test]
fn all_transforms_parse() {
    for transform in [
        "input\n  .filter(f => !f.includes('node_modules'))\n  .filter(f => !f.endsWith('.d.ts'))",
        "input.reduce((batches, file, index) => {\n  const at = Math.floor(index / 3);\n  if (!batches[at]) batches[at] = [];\n  batches[at].push(file);\n  return batches;\n}, []).map((files, at) => ({ id: `batch_${at}`, files: files, status: 'pending' }))",
        "input[0].filter(batch =>\n  (input[1][batch.id] || 'pending') === 'pending'\n)",
        "input.split('\\n').filter(l => l.trim())",
        "{\n  total: input[0].length,\n  failed: input[1].failed || 0,\n  ready: input[0].length > 0 && input[1].failed === 0\n}",
        "input.map(file => ({\n  path: file,\n  tested: results.files?.includes(file), // flattened\n  batch: batches?.findIndex(b => b.includes(file))\n}))",
        "Object.values(input[0]).reduce((sum, r) => sum + r.errors, 0) +\nObject.values(input[1]).reduce((sum, r) => sum + r.errors, 0)",
        "JSON.parse(input)",
        "try {\n  return JSON.parse(input);\n} catch (e) {\n  return { error: 'Parse failed', raw: input };\n}",
        "input[0] / input[1]",
        "typeof output === 'number' && !isNaN(output)",
        "input[0].some(step =>\n  (input[1][step] || 0) < 3\n)",
        "{\n  failed: input[0].length,\n  types: [...new Set(input[1].map(e => e.type))],\n  first: input[1][0]\n}",
    ] {
        assert!(js::script(transform).is_ok(), "{transform}");
    }
}

#[test]
fn the_skeleton_is_read() {
    let text = format!(
        "{HEAD}default_state:\n  raw:\n    start_time: \"{{{{ now() }}}}\"\n    run: \"{{{{ uuid() }}}}\"\n    tries: \"{{{{ inputs.retries || 3 }}}}\"\n    batch_status: {{}}\n    config: {{parallel: \"{{{{ inputs.parallel || 10 }}}}\", timeout: 5000}}\n\
         state_schema:\n  raw:\n    file_list: array\n  computed:\n    filtered_files:\n      from: \"raw.file_list\"\n      transform: |\n        input\n          .filter(f => !f.includes('node_modules'))\n\
         \x20   ready:\n      from: [\"computed.filtered_files\", \"raw.batch_status\"]\n      transform: \"input[0].filter(b => !input[1][b])\"\n    patience: {{from: raw.config.timeout, transform: input * 2}}\n\
         inputs:\n  retries: {{type: number, required: false}}\n  parallel: {{type: number}}\n\
         steps:\n  - id: list\n    type: shell_command\n    command: git diff --name-only HEAD\n    output_format: lines\n    state_update: {{path: raw.file_list}}\n"
    );
    let read = good(&text);
    assert!(read.warnings.is_empty(), "{}", told(&text));
    let names: Vec<&str> = read.plan.state.computed.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["computed.filtered_files", "computed.patience", "computed.ready"]);
    let transform = read.plan.state.computed[0].transform.as_ref().unwrap();
    assert_eq!(transform.origin.map(|at| (at.line, at.column, at.indent)), Some((18, 9, Some(9))));
}

#[test]
fn composition_and_errors_are_read() {
    let text = format!(
        "{HEAD}default_state: {{raw: {{steps_completed: [], steps_failed: [], retry_counts: {{}}, last_error: null, workflow_errors: [], batch_status: {{}}}}}}\n\
         state_schema: {{raw: {{files: array, batches: array}}}}\n\
         steps:\n  - {{type: foreach, items: \"{{{{ files }}}}\", steps: [{{type: mcp_call, mcp: {{method: check_typescript, params: {{files: [\"{{{{ item }}}}\"]}}}}, state_update: {{path: \"raw.results.{{{{ item }}}}\", value: \"{{{{ result }}}}\"}}}}]}}\n\
         \x20 - {{type: apply_hints, file: a, hints: \"{{{{ results.a }}}}\", state_update: {{path: \"raw.results.{{{{ files[0] | path_to_key }}}}.hints\", value: \"{{{{ applied_count }}}}\"}}}}\n\
         \x20 - {{type: parallel_foreach, items: \"{{{{ batches }}}}\", max_parallel: 10, wait_for_all: true, sub_agent_task: process_batch, on_sub_agent_error: {{strategy: retry_failed, max_retries: 2, collect_errors: true, error_state_path: raw.sub_agent_errors}}}}\n\
         \x20 - {{type: while, condition: \"{{{{ files.length > 0 }}}}\", body: [{{type: conditional, condition: \"{{{{ !files.length }}}}\", then: [{{type: break}}]}}]}}\n\
         sub_agent_tasks:\n  process_batch:\n    error_handling: {{return_on_error: true, cleanup_on_error: [{{type: state_update, path: \"raw.batch_status.{{{{ batch_id }}}}\", value: failed}}]}}\n    steps: [{{type: mcp_call, mcp: {{method: fix, params: {{files: \"{{{{ item.files }}}}\"}}}}}}]\n\
         error_handling:\n  on_error: checkpoint_and_fail\n  error_collection: {{enabled: true, state_path: raw.workflow_errors, include_stack_traces: false}}\n  on_failure: [{{type: user_message, message: \"failed: {{{{ error.message }}}}\"}}]\n\
         orchestrator_behavior:\n  - Check approximate token usage\n  - If approaching limits (>80-85%), create checkpoint\n\
         on_high_context_usage:\n  steps:\n    - {{type: user_message, message: \"Run: /workflow resume {{{{ workflow_id }}}}\"}}\n    - {{type: exit}}\n\
         on_resume: {{load_from_checkpoint: [workflow_metadata, current raw state], exclude: [historical data], retry_failed_steps: true}}\n"
    );
    assert_eq!(codes(&text), Vec::<&str>::new(), "{}", told(&text));
    let plan = good(&text).plan;
    assert_eq!(
        plan.notes.keys().collect::<Vec<_>>(),
        ["on_high_context_usage", "on_resume", "orchestrator_behavior", "state_schema", "sub_agent_tasks"]
    );
    assert!(plan.state.books.is_some());
}
