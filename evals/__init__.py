"""What models get done: tasks, checks that use the result in a real browser, a runner and reports."""
