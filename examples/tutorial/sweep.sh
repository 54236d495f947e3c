#!/bin/bash
# Does the radix cache pay for prompts that begin alike?
SERVER="python3 -m sglang.launch_server"
CLIENT="python3 -m sglang.bench_serving"
PORT=30000

for radix in "" "--disable-radix-cache"; do
  $SERVER --model /models/Qwen3-8B --port $PORT $radix > server.log 2>&1 &
  until curl -sf http://127.0.0.1:$PORT/health > /dev/null; do sleep 2; done
  for conc in 4 16; do
    $CLIENT --backend sglang-oai --port $PORT --dataset-name generated-shared-prefix \
      --gsp-num-groups 4 --gsp-prompts-per-group 16 --gsp-system-prompt-len 512 \
      --gsp-question-len 64 --gsp-output-len 32 \
      --num-prompts 64 --max-concurrency $conc | tee -a results.txt
  done
  kill $!
  sleep 10
done
