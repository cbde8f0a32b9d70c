"""Small logs of each format, written for the tests: one agent that lists files, fails once and reports 0.75.

Each log holds two actions with results, words beside the first, hidden thinking where the format has any, an event that
nothing knows, and answers (canaries) where the format has a place for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

CANARY = "CANARY-7Q"
WORDS = "I think the score — «Wert» — is 0.75; let me check."
FIRST, SECOND = "total 3\nscore = -0.5\n\ttab", "Traceback: no such file"
TASK = "Find the score of run A.\nReport it."


class Log(NamedTuple):
    """A written log: files by name, and what a reader should find."""

    format: str
    files: dict[str, str]
    actions: int = 2
    observed: int = 2
    task: str | None = TASK
    words: str | None = WORDS
    unknown: int = 1
    answers: bool = False


def lines(*entries: Any) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def stream() -> Log:
    def said(*parts: Any) -> dict[str, Any]:
        return {
            "type": "assistant",
            "message": {
                "id": "msg_1",
                "model": "m",
                "role": "assistant",
                "content": list(parts),
                "usage": {"input_tokens": 3, "output_tokens": 1},
            },
            "parent_tool_use_id": None,
            "session_id": "s",
        }

    def came(call: str, body: Any, error: bool) -> dict[str, Any]:
        part = {"type": "tool_result", "tool_use_id": call, "content": body, "is_error": error}
        return {"type": "user", "message": {"role": "user", "content": [part]}, "session_id": "s"}

    return Log(
        "claude-code",
        {
            "stream.jsonl": lines(
                {"type": "system", "subtype": "init", "tools": ["Bash"], "model": "m", "session_id": "s"},
                said({"type": "text", "text": WORDS}),
                said({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls\ncat a"}}),
                said(
                    {
                        "type": "tool_use",
                        "id": "t2",
                        "name": "Edit",
                        "input": {"file_path": "a", "old_string": "1", "new_string": "2"},
                    }
                ),
                came("t1", FIRST, False),
                came("t2", [{"type": "text", "text": SECOND}], True),
                {"type": "comet", "payload": 1},
                {
                    "type": "result",
                    "subtype": "success",
                    "result": "Done: 0.75.",
                    "usage": {"input_tokens": 9, "output_tokens": 5},
                },
            )
        },
        task=None,
    )


def session() -> Log:
    common = {"sessionId": "s", "isSidechain": False, "timestamp": "2026-01-01T00:00:00Z"}
    return Log(
        "claude-code",
        {
            "session.jsonl": lines(
                {
                    **common,
                    "type": "user",
                    "uuid": "u1",
                    "parentUuid": None,
                    "message": {"role": "user", "content": TASK},
                },
                {
                    **common,
                    "type": "assistant",
                    "uuid": "u2",
                    "parentUuid": "u1",
                    "message": {
                        "id": "msg_1",
                        "model": "m",
                        "role": "assistant",
                        "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}],
                        "usage": {"output_tokens": 4},
                    },
                },
                {
                    **common,
                    "type": "assistant",
                    "uuid": "u3",
                    "parentUuid": "u2",
                    "message": {
                        "id": "msg_1",
                        "role": "assistant",
                        "content": [
                            {"type": "text", "text": WORDS},
                            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                            {"type": "tool_use", "id": "t2", "name": "mcp__a__b", "input": {}},
                        ],
                        "usage": {"output_tokens": 7},
                    },
                },
                {
                    **common,
                    "type": "user",
                    "uuid": "u4",
                    "parentUuid": "u3",
                    "message": {
                        "role": "user",
                        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": FIRST}],
                    },
                },
                {
                    **common,
                    "type": "user",
                    "uuid": "u5",
                    "parentUuid": "u4",
                    "message": {
                        "role": "user",
                        "content": [{"type": "tool_result", "tool_use_id": "t2", "content": SECOND, "is_error": True}],
                    },
                },
                {
                    **common,
                    "type": "user",
                    "uuid": "u5",
                    "parentUuid": "u4",
                    "message": {"role": "user", "content": "twice"},
                },
                {**common, "type": "comet", "uuid": "u6"},
            )
        },
    )


def array() -> Log:
    def said(part: Any) -> dict[str, Any]:
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [part],
            "usage": {"output_tokens": 3},
        }

    batch = {
        "type": "tool_use",
        "id": "t1",
        "name": "Batch",
        "input": {
            "invocations": [
                {"tool_name": "Read", "input": {"file_path": "a"}},
                {"tool_name": "Bash", "input": {"command": "ls"}},
            ]
        },
    }
    texts = [{"type": "text", "text": part} for part in ("Read(a):", FIRST, "Bash(ls):", SECOND)]
    return Log(
        "claude-code",
        {
            "array.json": json.dumps(
                [
                    {"role": "user", "content": TASK},
                    said({"type": "text", "text": WORDS}),
                    said(batch),
                    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": texts}]},
                    {"role": "comet"},
                    {"role": "system", "result": "Done: 0.75.", "cost_usd": 1.0},
                ]
            )
        },
    )


def codex_exec() -> Log:
    def item(phase: str, **fields: Any) -> dict[str, Any]:
        return {"type": f"item.{phase}", "item": fields}

    return Log(
        "codex-exec",
        {
            "events.jsonl": lines(
                {"type": "thread.started", "thread_id": "x"},
                {"type": "turn.started"},
                item("completed", id="i0", type="reasoning", text="hm"),
                item("completed", id="i1", type="agent_message", text=WORDS),
                item(
                    "started",
                    id="i2",
                    type="command_execution",
                    command="ls",
                    aggregated_output="",
                    status="in_progress",
                ),
                item(
                    "completed",
                    id="i2",
                    type="command_execution",
                    command="ls",
                    aggregated_output=FIRST,
                    exit_code=0,
                    status="completed",
                ),
                item(
                    "completed",
                    id="i3",
                    type="command_execution",
                    command="cat b",
                    aggregated_output=SECOND,
                    exit_code=1,
                    status="failed",
                ),
                item("completed", id="i4", type="comet"),
                {"type": "turn.completed", "usage": {"input_tokens": 5, "cached_input_tokens": 1, "output_tokens": 2}},
            )
        },
        task=None,
    )


def codex_rollout() -> Log:
    def line(kind: str, payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}

    return Log(
        "codex-rollout",
        {
            "rollout.jsonl": lines(
                line("session_meta", {"id": "x", "cwd": "/a"}),
                line(
                    "response_item",
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": TASK}]},
                ),
                line(
                    "response_item",
                    {
                        "type": "reasoning",
                        "summary": [{"type": "summary_text", "text": "hm"}],
                        "encrypted_content": "z",
                    },
                ),
                line(
                    "response_item",
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": WORDS}]},
                ),
                line(
                    "response_item",
                    {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
                ),
                line(
                    "response_item",
                    {
                        "type": "function_call_output",
                        "call_id": "c1",
                        "output": json.dumps({"output": FIRST, "metadata": {"exit_code": 0}}),
                    },
                ),
                line(
                    "response_item",
                    {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "c2"},
                ),
                line("response_item", {"type": "custom_tool_call_output", "call_id": "c2", "output": SECOND}),
                line(
                    "event_msg",
                    {"type": "token_count", "info": {"total_token_usage": {"input_tokens": 4, "output_tokens": 2}}},
                ),
                line("comet", {}),
            )
        },
    )


def codex_text() -> Log:
    stamp = "[2026-01-01T00:00:00] "
    body = (
        f"{stamp}OpenAI Codex v0.5.0 (research preview)\n--------\nmodel: m\n--------\n"
        f"{stamp}User instructions:\n{TASK}\n"
        f"{stamp}thinking\n\nhm\n{stamp}codex\n\n{WORDS}\n"
        f"{stamp}exec bash -lc 'ls\ncat a' in /work\n{stamp}bash -lc 'ls\ncat a' succeeded in 9ms:\n"
        f"{FIRST}\n[2026-01-01T00:00:00] no block\n"
        f"{stamp}tokens used: 12\n{stamp}exec cat b in /work\n{stamp}cat b exited 1 in 1.5s:\n{SECOND}\n"
    )
    return Log("codex-text", {"codex.log": body}, unknown=0)


def openhands_v0() -> Log:
    reply = {"id": "r1", "model": "m", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}

    def joined(call: str) -> dict[str, Any]:
        return {"function_name": "execute_bash", "tool_call_id": call, "model_response": reply}

    history = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": TASK}},
        {"id": 1, "source": "user", "action": "recall", "args": {"query": "x"}},
        {"id": 2, "source": "environment", "observation": "recall", "cause": 1, "content": "c", "extras": {}},
        {
            "id": 5,
            "source": "agent",
            "action": "run",
            "args": {"command": "ls", "thought": WORDS},
            "tool_call_metadata": joined("c1"),
        },
        {"id": 6, "source": "agent", "action": "read", "args": {"path": "b"}, "tool_call_metadata": joined("c2")},
        {
            "id": 7,
            "source": "agent",
            "observation": "run",
            "cause": 5,
            "content": FIRST,
            "extras": {"metadata": {"exit_code": 0}},
        },
        {
            "id": 8,
            "source": "agent",
            "observation": "read",
            "cause": 6,
            "content": SECOND,
            "extras": {},
            "success": False,
        },
        {"id": 9, "comet": 1},
    ]
    run = {
        "instance_id": "i-1",
        "instruction": TASK,
        "history": history,
        "resolved": CANARY,
        "instance": {"test_patch": CANARY},
    }
    return Log("openhands-v0", {"output.jsonl": lines(run)}, answers=True)


def openhands_v1() -> Log:
    def event(number: int, kind: str, **fields: Any) -> tuple[str, str]:
        return f"run/event-{number:05d}-u.json", json.dumps(
            {"kind": kind, "id": str(number), "source": "agent", **fields}
        )

    def action(number: int, call: str, tool: str, given: Any, thought: str) -> tuple[str, str]:
        return event(
            number,
            "ActionEvent",
            tool_name=tool,
            tool_call_id=call,
            llm_response_id="r",
            reasoning_content="hm",
            tool_call={"arguments": json.dumps(given)},
            thought=[{"type": "text", "text": thought}] if thought else [],
            critic_result={"score": CANARY},
        )

    def shown(number: int, call: str, body: str, code: int) -> tuple[str, str]:
        return event(
            number,
            "ObservationEvent",
            tool_call_id=call,
            observation={"content": [{"type": "text", "text": body}], "exit_code": code, "is_error": False},
        )

    task = (
        "run/event-00001-u.json",
        json.dumps(
            {
                "kind": "MessageEvent",
                "id": "1",
                "source": "user",
                "llm_message": {"role": "user", "content": [{"type": "text", "text": TASK}]},
            }
        ),
    )
    return Log(
        "openhands-v1",
        dict(
            [
                event(0, "SystemPromptEvent", system_prompt={"type": "text", "text": "rules"}),
                task,
                action(2, "c1", "terminal", {"command": "ls"}, WORDS),
                action(3, "c2", "file_editor", {"command": "view", "path": "b"}, ""),
                shown(10, "c1", FIRST, 0),
                shown(11, "c2", SECOND, 1),
                event(12, "CometEvent"),
            ]
        ),
        answers=True,
    )


def swe_agent() -> Log:
    steps = [
        {"action": "ls\n", "observation": FIRST, "response": "r", "thought": WORDS, "state": "{}"},
        {
            "action": "open b",
            "observation": SECOND,
            "response": "r",
            "thought": "",
            "state": "{}",
            "execution_time": 0.5,
        },
    ]
    history = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "a demonstration", "is_demo": True},
        {"role": "user", "content": TASK},
    ]
    log = {
        "trajectory": steps,
        "history": history,
        "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 0}},
        "resolved": CANARY,
    }
    return Log("swe-agent", {"a.traj": json.dumps(log)}, unknown=0, answers=True)


def mini_swe_agent() -> Log:
    fence = "```mswea_bash_command\n{}\n```"
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": TASK},
        {"role": "assistant", "content": f"{WORDS}\n\n{fence.format('ls')}"},
        {"role": "user", "content": f"<returncode>0</returncode>\n<output>\n{FIRST}</output>"},
        {"role": "assistant", "content": fence.format("cat b") + fence.format("cat c")},
        {"role": "user", "content": "one command, please"},
        {"role": "assistant", "content": fence.format("cat b")},
        {"role": "user", "content": f"<returncode>1</returncode>\n<output>\n{SECOND}</output>"},
        {"role": "comet", "content": "?"},
    ]
    return Log("mini-swe-agent", {"a.traj.json": json.dumps(messages)})


def aider() -> Log:
    body = (
        "\n# aider chat started at 2026-01-01 00:00:00\n\n#### Find the score of run A.  \n#### Report it.  \n"
        "> 9,474 prompt tokens, 19 completion tokens, $0.05 cost  \n\n"
        f"{WORDS}\n\na.py\n```python\n<<<<<<< SEARCH\n> x = 1\n=======\n#### x = 2\n>>>>>>> REPLACE\n```\n\n"
        f"> Applied edit to a.py  \n\n#### Run 1 completed. Here are the results:  \n"
        f"#### {{'score': -0.5}}  \n\nDone: 0.75.\n"
    )
    return Log("aider", {"chat.md": body}, unknown=0)


def aide() -> Log:
    nodes = [
        {
            "step": 1,
            "id": "n2",
            "plan": "",
            "code": "print(2)",
            "_term_out": [SECOND],
            "exc_type": "OSError",
            "metric": {"value": CANARY},
        },
        {
            "step": 0,
            "id": "n1",
            "plan": WORDS,
            "code": "print(1)",
            "_term_out": ["total 3\n", "score = -0.5\n\ttab"],
            "exc_type": None,
            "is_buggy": False,
            "analysis": "a review",
            "exec_time": 2.0,
        },
    ]
    return Log(
        "aide",
        {"journal.json": json.dumps({"nodes": nodes, "node2parent": {"n2": "n1"}})},
        task=None,
        unknown=0,
        answers=True,
    )


def pi() -> Log:
    def message(**fields: Any) -> dict[str, Any]:
        return {"type": "message", "timestamp": "2026-01-01T00:00:00Z", "message": fields}

    calls = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": WORDS},
        {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "toolCall", "id": "t2", "name": "read", "arguments": {"path": "b"}},
    ]
    return Log(
        "pi",
        {
            "pi.jsonl": lines(
                {"type": "session", "id": "s", "cwd": "/a"},
                message(role="user", content=[{"type": "text", "text": TASK}]),
                message(
                    role="assistant",
                    content=calls,
                    usage={"input": 3, "output": 2, "cacheRead": 1},
                    model="m",
                    stopReason="toolUse",
                ),
                message(role="toolResult", toolCallId="t1", content=[{"type": "text", "text": FIRST}], isError=False),
                message(role="toolResult", toolCallId="t2", content=[{"type": "text", "text": SECOND}], isError=True),
                message(role="bashExecution", command="ls", output="mine", exitCode=0),
                {"type": "comet"},
            )
        },
    )


def openai_messages() -> Log:
    def call(name: str, given: str, call_id: str) -> dict[str, Any]:
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": given}}

    messages = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": TASK},
        {
            "role": "assistant",
            "content": WORDS,
            "tool_calls": [call("bash", '{"command": "ls"}', "c1"), call("strange", "{broken", "c2")],
        },
        {"role": "tool", "tool_call_id": "c2", "content": SECOND},
        {"role": "tool", "tool_call_id": "c1", "content": FIRST},
        {"role": "comet", "content": "?"},
        {"role": "assistant", "content": "Done: 0.75."},
    ]
    log = {"id": "x", "messages": messages, "reward": CANARY, "info": {"expected_output": CANARY}}
    return Log("openai-messages", {"chat.json": json.dumps(log)}, answers=True)


def responses_items() -> Log:
    items = [
        {"role": "user", "content": TASK},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": WORDS}]},
        {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
        {"type": "function_call", "call_id": "c2", "name": "strange", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": FIRST},
        {"type": "function_call_output", "call_id": "c2", "output": SECOND},
        {"type": "comet"},
    ]
    return Log("openai-messages", {"items.json": json.dumps(items)})


def shared_gpt() -> Log:
    turns = [
        {"from": "human", "value": TASK},
        {"from": "gpt", "value": WORDS},
        {"from": "function_call", "value": '{"name": "bash", "arguments": {"command": "ls"}}'},
        {"from": "observation", "value": FIRST},
        {"from": "function_call", "value": '{"name": "strange", "arguments": {}}'},
        {"from": "observation", "value": SECOND},
        {"from": "comet", "value": "?"},
    ]
    return Log("openai-messages", {"shared.json": json.dumps([{"conversations": turns}])})


def ledger() -> Log:
    return Log(
        "research-ledger",
        {
            "ledger.jsonl": lines(
                {"type": "config", "name": TASK, "bestDirection": "lower"},
                {
                    "run": 0,
                    "metric": -0.5,
                    "status": "keep",
                    "description": "first",
                    "asi": {"learned": WORDS},
                    "timestamp": 1,
                },
                {
                    "run": 1,
                    "metric": 0,
                    "status": "crash",
                    "description": "second",
                    "asi": {"hypothesis": "h"},
                    "timestamp": 2,
                },
                {"type": "hook", "stage": "before"},
                {"type": "comet"},
            )
        },
    )


def game() -> Log:
    return Log(
        "whatworked-game",
        {
            "game/events.jsonl": lines(
                {"event": "calculation", "number": 1, "returncode": 0, "elapsed": 1.5},
                {"event": "observe", "masks": ["01", "10"], "credits_spent": 2, "elapsed": 2.5},
                {"event": "comet"},
            ),
            "game/evidence.json": json.dumps(
                {"observations": [{"mask": "01", "utility": 0.25}, {"mask": "10", "utility": 0.5}]}
            ),
            "game/calculation_order.json": '["c1"]',
            "game/calculations/c1/code.py": "print(1)\n",
            "game/calculations/c1/receipt.json": json.dumps({"stdout": FIRST, "stderr": "", "returncode": 0}),
            "game/prompt.txt": TASK,
        },
        words=None,
    )


def atif() -> Log:
    steps = [
        {"step_id": 1, "source": "user", "message": TASK},
        {
            "step_id": 2,
            "source": "agent",
            "message": WORDS,
            "reasoning_content": "hm",
            "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}],
            "observation": {"results": [{"source_call_id": "c1", "content": FIRST}]},
            "metrics": {"prompt_tokens": 3, "completion_tokens": 2},
        },
        {"step_id": 3, "source": "comet", "message": "?"},
    ]
    more = [
        {"step_id": 1, "source": "user", "message": TASK, "is_copied_context": True},
        {
            "step_id": 2,
            "source": "agent",
            "message": '{"commands": []}',
            "observation": {"results": [{"content": SECOND}]},
        },
    ]
    head = {"schema_version": "ATIF-v1.5", "session_id": "s", "agent": {"name": "a", "model_name": "m"}}
    return Log(
        "atif",
        {
            "a.trajectory.json": json.dumps(
                {**head, "steps": steps, "continued_trajectory_ref": "trajectory.cont-1.json"}
            ),
            "a.trajectory.cont-1.json": json.dumps({**head, "steps": more}),
        },
    )


def langfuse() -> Log:
    def row(number: int, kind: str, name: str, given: Any, output: Any) -> dict[str, Any]:
        return {
            "id": f"o{number}",
            "type": kind,
            "name": name,
            "input": given,
            "output": output,
            "level": "DEFAULT",
            "startTime": f"2026-01-01T00:00:{number:02d}Z",
            "endTime": f"2026-01-01T00:00:{number + 1:02d}Z",
            "parentObservationId": None,
            "metadata": {},
            "usageDetails": {"input": 3, "output": 2},
            "model": "m",
        }

    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    rows = [
        row(
            1,
            "GENERATION",
            "chat",
            [{"role": "user", "content": TASK}],
            {"role": "assistant", "content": WORDS, "tool_calls": [call]},
        ),
        row(3, "TOOL", "bash", {"command": "ls"}, FIRST),
        row(5, "TOOL", "strange", {"input": {"x": 1}}, {"content": [{"type": "text", "text": SECOND}]}),
        row(7, "SPAN", "plumbing", None, None),
    ]
    return Log(
        "langfuse",
        {"trace.json": json.dumps({"trace": {"id": "t", "scores": [CANARY]}, "observations": rows})},
        unknown=0,
        answers=True,
    )


def jaeger() -> Log:
    def span(number: int, title: str, parent: str | None, **tags: Any) -> dict[str, Any]:
        references = [{"refType": "CHILD_OF", "spanID": parent}] if parent else []
        return {
            "traceID": "t",
            "spanID": f"s{number}",
            "operationName": title,
            "references": references,
            "startTime": number * 1000,
            "duration": 500,
            "tags": [{"key": name.replace("__", "."), "value": value} for name, value in tags.items()],
        }

    spans = [
        span(
            1,
            "call_llm",
            None,
            gen_ai__operation__name="chat",
            gen_ai__output__messages=json.dumps(
                [
                    {
                        "role": "assistant",
                        "parts": [
                            {"type": "text", "content": WORDS},
                            {"type": "tool_call", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
                        ],
                    }
                ]
            ),
            gen_ai__input__messages=json.dumps([{"role": "user", "parts": [{"type": "text", "content": TASK}]}]),
        ),
        span(
            2,
            "openai.chat",
            "s1",
            gen_ai__completion__0__content=WORDS,
            gen_ai__completion__0__role="assistant",
        ),
        span(
            3,
            "execute_tool bash",
            None,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="bash",
            gen_ai__tool__call__id="c1",
            gen_ai__tool__call__result=FIRST,
        ),
        span(
            4,
            "execute_tool b",
            None,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="b",
            gen_ai__tool__call__arguments="{}",
            gen_ai__tool__call__result=SECOND,
        ),
        span(5, "POST", None),
    ]
    return Log("otel", {"jaeger.json": json.dumps({"data": [{"traceID": "t", "spans": spans}]})}, unknown=0)


def specstory() -> Log:
    body = (
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n_**User (2026-01-01 00:00:00Z)**_\n\n"
        f"{TASK}\n\n---\n\n_**Agent (m 2026-01-01 00:00:01Z)**_\n\n"
        "<think><details><summary>Thought Process</summary>\nhm\n"
        f"</details></think>\n\n{WORDS}\n\n"
        '<tool-use data-tool-type="shell" data-tool-name="Bash"><details>\n<summary>Tool use: **Bash**</summary>\n'
        f"`ls`\n\n```text\n{FIRST}\n```\n</details></tool-use>\n\n_**Agent (m 2026-01-01 00:00:02Z)**_\n\n"
        '<tool-use data-tool-type="read" data-tool-name="Strange"><details>\n<summary>Tool use: **Strange**</summary>\n'
        f"`b`\n\n```text\n{SECOND}\n```\n</details></tool-use>\n"
    )
    return Log("specstory", {"story.md": body}, unknown=0)


def curie() -> Log:
    begin = "\x1b[38;5;240m2026-01-01 00:00:00\x1b[0m - logger - \x1b[38;5;240mbase_node.py\x1b[0m - INFO - "
    tool = begin.replace("base_node.py", "tool.py")
    role = f"{begin}<><><><><> 👷 WORKER_0 👷 <><><><><>\n"
    body = (
        f"{role}{begin}Concise response: {WORDS}\n{role}{begin}Tool calls: codeagent_openhands\n"
        f"{begin}Message received: go\n"
        f"{tool}💻 Openhands results: {FIRST}\n{role}{begin}Tool calls: codeagent_openhands\n"
        f"{begin}Message received: again\n"
        f"{tool}💻 Openhands results: {SECOND}\n{begin}Comet passes\n"
    )
    return Log("curie", {"curie.log": body}, task=None)


def super_notebook() -> Log:
    def text(body: str) -> dict[str, Any]:
        return {"cell_type": "markdown", "source": [body]}

    def code(body: str, shown: str) -> dict[str, Any]:
        return {
            "cell_type": "code",
            "source": [body],
            "outputs": [{"output_type": "execute_result", "data": {"text/plain": [shown]}}],
        }

    time = "Execution Start time: 19:41:50, End time: 19:41:53 (duration: 3 seconds)"
    cells = [
        text(f"### Query\n{TASK}"),
        text("### Step 1"),
        text(time),
        text(f"**Thought**: {WORDS}"),
        text("**Action (execute)**:"),
        code("!ls", FIRST),
        text("### Step 2"),
        text("**Thought**: "),
        text("**Action (edit)**:"),
        code("b", SECOND),
    ]
    return Log("super", {"history.ipynb": json.dumps({"cells": cells, "nbformat": 4})}, unknown=0)


def boxing_gym() -> Log:
    messages = [
        f"role:system, messaage:{TASK}",
        "role:user, messaage:Predict the length at 2.",
        "role:assistant, messaage:<thought>guess</thought><answer>2</answer>",
        "role:user, messaage:Observe.",
        f"role:assistant, messaage:<thought>{WORDS}</thought>\n<observe>3</observe>",
        f"role:user, messaage:{FIRST}",
        "role:assistant, messaage:<observe>[10]</observe>",
        f"role:user, messaage:{SECOND}",
        "no message",
    ]
    log = {"config": {"llms": {"model_name": "m"}}, "data": {"results": [CANARY]}, "scientist_messages": messages}
    return Log("boxing-gym", {"box.json": json.dumps(log)}, answers=True)


def multi_agent_chat() -> Log:
    history = [
        {"role": "human", "content": TASK},
        {"role": "Orchestrator (thought)", "content": WORDS},
        {"role": "Orchestrator (-> Surfer)", "content": "look"},
        {"role": "Surfer", "content": FIRST},
        {"role": "Orchestrator (-> Surfer)", "content": "look again"},
        {"role": "Surfer", "content": SECOND},
    ]
    log = {"history": history, "ground_truth": CANARY, "mistake_agent": CANARY, "mistake_step": CANARY}
    return Log("multi-agent-chat", {"chat.json": json.dumps(log)}, unknown=0, answers=True)


def mle_dojo() -> Log:
    def row(number: int, status: str, shown: str) -> dict[str, Any]:
        return {
            "step": number,
            "action": "execute_code",
            "timestamp": "2026-01-01T00:00:00",
            "result": {"status": status, "raw_score": CANARY},
            "feedback": {"base": {"feedback": shown}},
        }

    log = {"competition": "c", "actions": [row(1, "SUCCESS", FIRST), row(2, "FAILED", SECOND)], "total_reward": CANARY}
    return Log("mle-dojo", {"env.json": json.dumps(log)}, task=None, words=None, unknown=0, answers=True)


def gemini_cli() -> Log:
    def call(call_id: str, name: str, shown: str, status: str) -> dict[str, Any]:
        response = {"functionResponse": {"id": call_id, "name": name, "response": {"output": shown}}}
        return {"id": call_id, "name": name, "args": {"command": "ls"}, "result": [response], "status": status}

    messages = [
        {"id": "1", "type": "user", "content": TASK, "timestamp": "2026-01-01T00:00:00Z"},
        {
            "id": "2",
            "type": "gemini",
            "content": WORDS,
            "thoughts": [{"subject": "s", "description": "hm"}],
            "toolCalls": [
                call("c1", "run_shell_command", FIRST, "success"),
                call("c2", "strange", SECOND, "error"),
            ],
            "tokens": {"input": 3, "output": 2, "cached": 1, "thoughts": 4},
            "model": "m",
        },
        {"id": "3", "type": "comet", "content": "?"},
    ]
    log = {"sessionId": "s", "projectHash": "p", "messages": messages}
    return Log("gemini-cli", {"session.json": json.dumps(log)})


def nested_chats() -> Log:
    call = {"id": "c1", "name": "bash", "arguments": {"command": "ls"}}
    other = {"id": "c2", "name": "strange", "arguments": {}}
    messages = [
        {"role": "user", "content": TASK},
        {"role": "assistant", "content": WORDS, "tool_calls": [call, other]},
        {"role": "tool", "id": "c2", "content": SECOND},
        {"role": "tool", "content": FIRST},
        {"role": "comet", "content": "?"},
    ]
    log = {"info": {"trial": 1}, "simulations": [{"messages": messages, "reward": CANARY}]}
    return Log("openai-messages", {"simulations.json": json.dumps(log)}, answers=True)


def langchain() -> Log:
    call, other = {"name": "bash", "args": {"command": "ls"}, "id": "c1"}, {"name": "strange", "args": {}, "id": "c2"}
    messages = [
        {"type": "human", "content": TASK},
        {"type": "ai", "data": {"content": WORDS, "tool_calls": [call], "usage_metadata": {"output_tokens": 3}}},
        {"type": "tool", "content": FIRST, "tool_call_id": "c1"},
        {"type": "constructor", "id": ["a", "AIMessage"], "kwargs": {"content": "", "tool_calls": [other]}},
        {"type": "tool", "content": SECOND, "tool_call_id": "c2"},
    ]
    return Log("openai-messages", {"chain.json": json.dumps({"messages": messages})}, unknown=0)


def tool_events() -> Log:
    rows = [
        {"ts": 1, "tool": "bash", "input": {"command": "ls"}, "output": FIRST, "thought": WORDS},
        {"ts": 2, "tool": "strange", "input": "b", "output": SECOND},
        {"ts": 3},
    ]
    return Log("steps", {"events.jsonl": lines(*rows)}, task=None)


def steps() -> Log:
    rows = [
        {"thought": WORDS, "action": {"name": "bash", "arguments": {"command": "ls"}}, "observation": FIRST},
        {"thought": "", "action": "strange()", "observation": SECOND},
        {"comet": 1},
    ]
    return Log("steps", {"steps.json": json.dumps({"task": TASK, "steps": rows, "score": CANARY})}, answers=True)


BUILDERS: tuple[Callable[[], Log], ...] = (
    stream,
    session,
    array,
    codex_exec,
    codex_rollout,
    codex_text,
    openhands_v0,
    openhands_v1,
    swe_agent,
    mini_swe_agent,
    aider,
    aide,
    pi,
    openai_messages,
    responses_items,
    shared_gpt,
    ledger,
    game,
    atif,
    langfuse,
    jaeger,
    specstory,
    curie,
    super_notebook,
    boxing_gym,
    multi_agent_chat,
    mle_dojo,
    gemini_cli,
    nested_chats,
    langchain,
    tool_events,
    steps,
)


def write(log: Log, folder: Path) -> Path:
    """Write the files of a log; the path that is one run."""
    for name, body in log.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    return folder / next(iter(log.files)).split("/")[0]
