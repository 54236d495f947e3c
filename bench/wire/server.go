package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// What is asked besides the load must be answered soon, and in few words.
const (
	patience = 30 * time.Second
	maxList  = 1 << 20
)

// AskModel asks the server which model it serves, where options named none and the endpoint
// wants one; requests carry it from then on. It gives the model's name.
func (c *Client) AskModel(ctx context.Context) (string, error) {
	if c.opt.Model != "" || c.endpoint == native {
		return c.opt.Model, nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, patience))
	defer cancel()
	response, err := c.try(ctx, http.MethodGet, "/v1/models", nil)
	if err != nil {
		return "", fmt.Errorf("cannot reach the server: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s/v1/models: %s (give --model)", c.opt.BaseURL, c.statusFailure(response).Message)
	}
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(io.LimitReader(response.Body, maxList)).Decode(&list); err != nil || len(list.Data) == 0 {
		return "", fmt.Errorf("%s/v1/models names no model (give --model): %v", c.opt.BaseURL, err)
	}
	c.opt.Model = list.Data[0].ID
	return c.opt.Model, nil
}

// Flush empties the server's prefix cache: SGLang's way, then vLLM's.
func (c *Client) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, patience))
	defer cancel()
	for _, path := range []string{"/flush_cache", "/reset_prefix_cache"} {
		response, err := c.try(ctx, http.MethodPost, path, nil)
		if err != nil {
			return fmt.Errorf("cannot flush the cache: %w", err)
		}
		answer, _ := io.ReadAll(io.LimitReader(response.Body, 4096)) // judged by status and content below
		_ = response.Body.Close()
		var verdict struct{ Success *bool }
		switch {
		case response.StatusCode == http.StatusNotFound:
			continue
		case response.StatusCode != http.StatusOK:
			return fmt.Errorf("cannot flush the cache: %s: %s", path, response.Status)
		case json.Unmarshal(answer, &verdict) == nil && verdict.Success != nil && !*verdict.Success:
			return fmt.Errorf("cannot flush the cache: %s answers %s", path, answer)
		}
		return nil
	}
	return errors.New("cannot flush the cache: the server has neither /flush_cache nor /reset_prefix_cache")
}

// AcceptLength asks an SGLang server how many tokens each step of speculative decoding gave on
// average since it started, as sglang.bench_serving does when all requests have ended: only with
// the backends that are called after sglang. A server that tells none, or does not answer, has none.
// Of a router that splits prefill from decode it is the first decoding server's.
func (c *Client) AcceptLength(ctx context.Context) (tokens float64, ok bool) {
	if !strings.Contains(c.opt.Backend, "sglang") {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, min(c.opt.Timeout, 10*time.Second))
	defer cancel()
	for _, path := range []string{"/get_server_info", "/server_info"} {
		response, err := c.try(ctx, http.MethodGet, path, nil)
		if err != nil {
			return 0, false
		}
		text, _ := io.ReadAll(io.LimitReader(response.Body, 8<<20)) // half an answer is none
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return acceptLength(text)
		}
	}
	return 0, false
}

// acceptLength reads it from the answer to /get_server_info.
func acceptLength(text []byte) (tokens float64, ok bool) {
	type server struct {
		States []struct {
			AcceptLength float64 `json:"avg_spec_accept_length"`
		} `json:"internal_states"`
	}
	var info struct {
		server
		Decode []server `json:"decode"`
	}
	if json.Unmarshal(text, &info) != nil {
		return 0, false
	}
	if len(info.Decode) > 0 {
		info.server = info.Decode[0]
	}
	if len(info.States) == 0 || info.States[0].AcceptLength <= 0 {
		return 0, false
	}
	return info.States[0].AcceptLength, true
}
