"""Turns a Case into words, JSON and Markdown for people and programs; judges nothing."""
