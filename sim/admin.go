package sim

import (
	"net/http"
	"runtime/debug"
	"time"
)

func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(s.healthStatus())
}

func (s *server) healthStatus() int {
	if s.healthy.Load() {
		return http.StatusOK
	}
	return http.StatusServiceUnavailable
}

// healthGenerate is SGLang's deeper check: it generates a token.
func (s *server) healthGenerate(w http.ResponseWriter, q *http.Request) {
	if !s.healthy.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r := newRequest([]int32{0}, 1, 0, true)
	if err := s.engine.submit(r); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if _, err := r.stream.collect(q.Context()); err != nil {
		s.engine.abort(r)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) {
	s.json(w, http.StatusOK, map[string]any{"object": "list", "data": []any{map[string]any{
		"id": s.opt.ServedModelName, "object": "model", "created": s.began.Unix(), "owned_by": s.opt.Style,
		"root": s.opt.Model, "max_model_len": s.opt.ContextLength, "simulated": true,
	}}})
}

// flushCache is SGLang's: 400 while there is work.
func (s *server) flushCache(w http.ResponseWriter, _ *http.Request) {
	status, text := http.StatusOK, "Cache flushed.\nPlease check backend logs for more details. (When there are running or waiting requests, the operation will not be performed.)\n"
	if err := s.engine.flush(); err != nil {
		status = http.StatusBadRequest
		running, waiting := s.engine.load()
		s.log.sglang("Cache not flushed because there are pending requests. #queue-req: %d, #running-req: %d", waiting, running)
	} else {
		s.log.sglang("Cache flushed successfully!")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may have gone
}

// resetPrefixCache is vLLM's: the status is 200 either way, the body tells.
func (s *server) resetPrefixCache(w http.ResponseWriter, _ *http.Request) {
	err := s.engine.flush()
	if err == nil {
		s.log.engine("EngineCore", "block_pool.py:421", "Successfully reset prefix cache")
	} else {
		s.log.engine("EngineCore", "block_pool.py:415", "Failed to reset prefix cache because some blocks are not freed yet")
	}
	s.json(w, http.StatusOK, map[string]any{"success": err == nil})
}

func (s *server) serverInfo(w http.ResponseWriter, _ *http.Request) {
	o := s.opt
	s.engine.mu.Lock()
	stats, usage := s.engine.stats, s.engine.kv.used()
	s.engine.mu.Unlock()
	s.json(w, http.StatusOK, map[string]any{
		"version": version(), "style": o.Style, "model_path": o.Model, "served_model_name": o.ServedModelName,
		"host": o.Host, "port": o.Port, "disable_radix_cache": o.DisableRadixCache, "page_size": o.PageSize,
		"max_running_requests": o.MaxRunningRequests, "max_total_num_tokens": o.MaxTotalTokens, "context_length": o.ContextLength,
		"chunked_prefill_size": o.ChunkedPrefillSize, "schedule_conservativeness": o.ScheduleConservativeness,
		"prefill_rate": o.PrefillRate, "decode_base_s": o.DecodeBase.Seconds(), "decode_per_seq_s": o.DecodePerSeq.Seconds(),
		"noise": o.Noise, "drift": o.Drift, "drift_period_s": o.DriftPeriod.Seconds(), "random_seed": o.Seed, "tp_size": max(o.Workers, 1), "start_factor": s.engine.cost.start,
		"uptime_s": time.Since(s.began).Seconds(), "busy_s": stats.busy.Seconds(), "late_passes": stats.latePasses, "token_usage": usage,
	})
}

func (s *server) modelInfo(w http.ResponseWriter, _ *http.Request) {
	s.json(w, http.StatusOK, map[string]any{"model_path": s.opt.Model, "tokenizer_path": s.opt.Model, "is_generation": true})
}

func (s *server) version(w http.ResponseWriter, _ *http.Request) {
	s.json(w, http.StatusOK, map[string]any{"version": version()})
}

// version is the version of the module that this binary was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version + "-simulated"
	}
	return "simulated"
}
