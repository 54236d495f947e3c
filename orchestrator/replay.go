package orchestrator

import "servematrix/journal"

// ReadState folds the journal of a run folder, and gives the place where it ends.
//
// A journal of 100,000 samples is to be folded within a second. Most of it is the
// commands and the ends of servers that are long gone, so their data is left
// alone: what a launch was is only decoded when it has not ended or was the last.
//
// Damage is an error: who goes on with a run, or ends what it left, is not to guess.
func ReadState(folder journal.Folder) (*State, journal.End, error) {
	s := NewState()
	s.replaying = true
	end, err := folder.Read(s.Apply)
	if err != nil {
		return nil, end, err
	}
	return s, end, s.settle()
}

// SalvageState folds what can be read of the journal, for who only shows it, and gives what cannot:
// damaged lines, and events that this version does not understand.
func SalvageState(folder journal.Folder) (s *State, end journal.End, damage []error, err error) {
	s = NewState()
	s.replaying = true
	keep := func(err error) {
		if err != nil {
			damage = append(damage, err)
		}
	}
	end, err = folder.Salvage(func(e journal.Event) error { keep(s.Apply(e)); return nil }, func(d *journal.DamageError) error { keep(d); return nil })
	keep(s.settle())
	return s, end, damage, err
}

// ended stands for how a launch ended until that is decoded.
var ended = &journal.Gone{}

// skim takes in what can be told of an event without decoding all of its data.
// False: Apply has to look at it.
func (s *State) skim(e journal.Event, u Unit) bool {
	switch e.Type {
	case journal.SampleStarted:
		folder, _, ok := journal.Lead(e, "folder")
		if ok {
			s.sampleStarts(u, e.Attempt, folder[0])
		}
		return ok
	case journal.SampleEnded:
		d, rest, ok := journal.Lead(e, "status", "sha256")
		if ok = ok && string(rest) == `,"final":true}`; ok && d[0] == StatusOK {
			s.end(u, e.Attempt, journal.Ended{Status: StatusOK, SHA256: d[1], Final: true})
			return true
		}
		return false
	case journal.ClientStarted:
		s.Client, s.ClientUnit, s.client = nil, u, keep(s.client[:0], e)
		return true
	case journal.ClientExited, journal.RunStarted, journal.RunResumed:
		s.client = s.client[:0]
		return false
	case journal.LaunchStarted:
		return s.skimLaunch(e)
	case journal.LaunchRunning, journal.LaunchEnded:
		l := s.Last()
		if l == nil || l.ID != e.Launch || l.undecoded == nil {
			return false
		}
		l.undecoded = keep(l.undecoded, e)
		if e.Type == journal.LaunchEnded {
			l.Ended = ended
		}
		return true
	}
	return false
}

func (s *State) skimLaunch(e journal.Event) bool {
	names, _, ok := journal.Lead(e, "server", "name")
	if !ok {
		return false
	}
	var list []journal.Event
	before := s.Last()
	if before != nil {
		if before.Ended != nil {
			list, before.undecoded = before.undecoded[:0], nil
		}
		if before.Launch.Server == names[0] && before.Launch.Name == names[1] { // share the memory
			names = []string{before.Launch.Server, before.Launch.Name}
		}
	}
	s.Launches = append(s.Launches, &LaunchState{
		ID: e.Launch, Launch: journal.Launch{Server: names[0], Name: names[1]}, undecoded: keep(list, e),
	})
	return true
}

// keep appends an event with data of its own. It writes over what is behind the
// list: a replay keeps three events of each launch, and drops them with the next.
func keep(list []journal.Event, e journal.Event) []journal.Event {
	n := len(list)
	if n == cap(list) {
		return append(list, e.Clone())
	}
	list = list[:n+1]
	e.Data = append(list[n].Data[:0], e.Data...)
	list[n] = e
	return list
}

// settle decodes what is wanted after all.
func (s *State) settle() error {
	s.replaying = false
	for _, e := range s.client {
		if err := with(e, func(d journal.Running) { s.Client = &d }); err != nil {
			return err
		}
	}
	s.client = nil
	for _, l := range s.Launches {
		for _, e := range l.undecoded {
			if err := l.apply(e); err != nil {
				return err
			}
		}
		l.undecoded = nil
	}
	return nil
}
