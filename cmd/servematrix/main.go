// Command servematrix runs every combination of a matrix of LLM-serving
// configurations and benchmark clients and leaves one report.
package main

import (
	"context"
	"os"

	"servematrix/cmd/servematrix/cli"
	"servematrix/process"
	"servematrix/sim"
)

func main() {
	process.GuardMain() // this process may be a guard,
	process.InitMain()  // the first one of a container,
	sim.WorkerMain()    // or a worker of a simulated server
	os.Exit(cli.Run(context.Background(), cli.OSEnv()))
}
