package secret_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"servematrix/secret"
)

func TestValue(t *testing.T) {
	var r secret.Redactor
	r.Add("hunter22")
	got := r.Value(map[string]any{
		"api_key": "sk-1", "admin_api_key": nil, "mine": 3, "eos_token": int64(2), "n": 1.5,
		"nested": []any{map[string]any{"password": []any{"a"}, "url": "http://x/hunter22"}},
	}, []string{"mine"})
	want := map[string]any{
		"api_key": secret.Mask, "admin_api_key": nil, "mine": secret.Mask, "eos_token": int64(2), "n": 1.5,
		"nested": []any{map[string]any{"password": secret.Mask, "url": "http://x/" + secret.Mask}},
	}
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Error(diff)
	}
}
