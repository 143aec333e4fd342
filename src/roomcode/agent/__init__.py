"""The request loop and what it needs: conversation, compaction, repeats, hints."""

from roomcode.agent.budget import conversation_budget
from roomcode.agent.conversation import Conversation, Journal, Outcome, Turn
from roomcode.agent.loop import Agent
from roomcode.agent.options import AgentSettings, Hooks, Wanted
from roomcode.agent.prompts import system_prompt
from roomcode.agent.repeats import Place
from roomcode.agent.running import announced

__all__ = [
    "Agent",
    "AgentSettings",
    "Conversation",
    "Hooks",
    "Journal",
    "Outcome",
    "Place",
    "Turn",
    "Wanted",
    "announced",
    "conversation_budget",
    "system_prompt",
]
