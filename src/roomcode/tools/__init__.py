"""What the model can do: its tools, the registry that holds them, and who approves their changes."""

from roomcode.tools.approvals import Approvals, Mode
from roomcode.tools.files import file_tools
from roomcode.tools.preview import preview_tools
from roomcode.tools.registry import Toolset

__all__ = ["Approvals", "Mode", "Toolset", "file_tools", "preview_tools"]
