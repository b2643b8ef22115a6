"""Campaigns: long documented commands whose results are committed with the tree they ran on."""
