"""The pictures: drawn from rows and programs, never from memory."""
