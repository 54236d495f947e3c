package main

import "context"

func measure(ctx context.Context, root string) int { return 0 }
