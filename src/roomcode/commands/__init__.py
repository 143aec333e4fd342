"""The subcommands of `roomcode`, one module each, imported only when it is used."""
