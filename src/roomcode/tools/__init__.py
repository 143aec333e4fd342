"""What the model can do: its tools, and the registry that holds them."""

from roomcode.tools.files import file_tools
from roomcode.tools.registry import Toolset

__all__ = ["Toolset", "file_tools"]
