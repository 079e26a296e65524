"""What a game, a match, a bot, a policy, a view and an encoding are."""
