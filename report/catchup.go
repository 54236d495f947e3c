package report

import "servematrix/journal"

// catchUp draws the past, once.
func (l *Live) catchUp() (err error) {
	if !l.behind {
		return nil
	}
	l.behind = false
	<-journal.Aside(func() { err = l.drawPast() })
	return err
}

func (l *Live) drawPast() error {
	if err := l.rows.Write(l.head.head()); err != nil {
		return err
	}
	if l.past != nil {
		for e, err := range l.past {
			if err == nil {
				err = l.add(e)
			}
			if err != nil {
				return err
			}
		}
	}
	return l.flush(true)
}
