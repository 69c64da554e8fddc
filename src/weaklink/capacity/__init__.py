"""Asks the service like its users do, and finds how much it can carry before they notice."""
