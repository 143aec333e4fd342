"""Engines: tokens in, tokens out. The modules are imported by name, since llama.cpp is slow to load."""
