import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { saidBy } from './said.ts'

/** The last lines of the real programs, shortened. */
// biome-ignore format: read as a table
const PROGRAMS: readonly (readonly [name: string, lines: readonly string[], text: string, usage: object | undefined])[] = [
  ['Claude Code', [
    '{"type":"system","subtype":"init","tools":["Bash"]}',
    '{"type":"user","message":{"content":[{"type":"text","text":"the brief"}]}}',
    '{"type":"assistant","message":{"content":[{"type":"text","text":"I looked at it."}],"usage":{"input_tokens":3,"output_tokens":1}}}',
    '{"duration_api_ms":35,"total_cost_usd":0.00014,"usage":{"input_tokens":10,"cache_creation_input_tokens":2,"cache_read_input_tokens":30,"output_tokens":5},"type":"result","result":"Done."}',
  ], 'I looked at it.\nDone.', { cost_usd: 0.00014, input_tokens: 42, output_tokens: 5 }],
  ['Codex', [
    'WARNING: proceeding',
    '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I looked at it."}}',
    '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":5,"reasoning_output_tokens":0}}',
  ], 'WARNING: proceeding\nI looked at it.', { input_tokens: 10, output_tokens: 5 }],
  ['Gemini CLI', [
    '{"type":"message","role":"user","content":"the brief"}',
    '{"type":"message","role":"assistant","content":"I looked at it.","delta":true}',
    '{"type":"result","status":"success","stats":{"total_tokens":15,"input_tokens":10,"output_tokens":5,"cached":0,"models":{"gemini-2.5-pro":{"total_tokens":15,"input_tokens":10,"output_tokens":5}}}}',
  ], 'I looked at it.', { input_tokens: 10, output_tokens: 5 }],
  ['opencode', [
    '{"type":"step_finish","part":{"tokens":{"total":15,"input":10,"output":5,"cache":{"write":1,"read":2}},"cost":0.1}}',
    '{"type":"text","part":{"type":"text","text":"I looked at it."}}',
    '{"type":"step_finish","part":{"tokens":{"total":15,"input":10,"output":5,"cache":{"write":0,"read":0}},"cost":0.2}}',
  ], 'I looked at it.', { cost_usd: 0.3, input_tokens: 23, output_tokens: 10 }],
  ['Qwen Code', [
    '{"type":"result","subtype":"success","result":"Done.","usage":{"input_tokens":20,"output_tokens":10,"cache_read_input_tokens":4,"total_tokens":30}}',
  ], 'Done.', { input_tokens: 20, output_tokens: 10 }],
  ['Gemini CLI with one document', [
    'Ripgrep is not available. Falling back to GrepTool.', '{', '  "session_id": "abc1c102",', '  "response": "I looked at it.",', '  "stats": { "models": {',
    '    "gemini-2.5-pro": { "api": { "totalRequests": 1 }, "tokens": { "input": 10, "prompt": 12, "candidates": 5, "total": 17, "cached": 2, "thoughts": 0, "tool": 0 } },',
    '    "gemini-2.5-flash": { "tokens": { "prompt": 1, "candidates": 1 } } },', '    "tools": { "totalCalls": 0 } }', '}',
  ], 'Ripgrep is not available. Falling back to GrepTool.\nI looked at it.', { input_tokens: 13, output_tokens: 6 }],
  ['Codex with counts on the way', [
    '{"timestamp":"2026-11-18T04:51:49.208Z","ordinal":12,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"total_tokens":15},"last_token_usage":{"input_tokens":10,"output_tokens":5}}}}',
    '{"timestamp":"2026-11-18T04:51:54.936Z","ordinal":19,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":30,"cached_input_tokens":9,"output_tokens":6,"total_tokens":36},"last_token_usage":{"input_tokens":20,"output_tokens":1}}}}',
  ], '', { input_tokens: 30, output_tokens: 6 }],
  ['Qwen Code with one list', [
    '[{"type":"system","subtype":"init"},{"type":"assistant","message":{"content":[{"type":"text","text":"I looked at it."}]}},{"type":"result","result":"Done.","usage":{"input_tokens":20,"output_tokens":10}}]',
  ], 'I looked at it.\nDone.', { input_tokens: 20, output_tokens: 10 }],
  ['a script with braces of its own', ['{', 'open', '{"type":"result","total_cost_usd":0.5}', '}', '{', 'end'], '{\nopen\n}\n{\nend', { cost_usd: 0.5 }],
  ['a script that prints its cost alone', ['{"type":"result","total_cost_usd":0.5}'], '', { cost_usd: 0.5 }],
  ['a script', ['{"type":"result"', '{"a":1}', 'done', '{"type":"result","usage":{"input_tokens":-1,"output_tokens":"many"}}'],
    '{"type":"result"\n{"a":1}\ndone', undefined],
]

describe('the output of a program', () => {
  for (const [name, lines, text, usage] of PROGRAMS)
    it(`${name}: its words are told from its events, and its cost and tokens are read`, () => {
      const said = saidBy(lines.join('\n'))
      assert.deepEqual([said.text, said.usage], [text, usage])
    })
})
