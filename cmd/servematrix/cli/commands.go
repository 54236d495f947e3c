package cli

import "github.com/spf13/cobra"

// commands is the whole command tree, in the order of the help.
func commands(env Env) []*cobra.Command {
	all := []*cobra.Command{
		newInit(env), newValidate(env), newPlan(env),
		newRun(env), newResume(env),
		newStatus(env), newLive(env), newStop(env), newLogs(env), newLs(env), newGc(env),
		newReport(env), newImport(env), newCompare(env),
		newDoctor(env), newSim(env), newBench(env), newSchema(env), newVersion(env),
	}
	sayArguments(all)
	if !supervises {
		refuseWithoutLinux(all)
	}
	return all
}
