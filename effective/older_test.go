package effective_test

// Lines of other versions, as they stand in public reports of their users, shortened.
const (
	sglang04 = `[2025-03-04 11:22:33] server_args=ServerArgs(model_path='/dev/shm/DeepSeek-V3-0324/', host='0.0.0.0', port=30000, attention_backend='fa3', tp_size=8, random_seed=1, lora_paths=None, disable_radix_cache=True, cuda_graph_bs=None)
`
	sglang055 = `[2025-11-11 20:29:05] WARNING server_args.py:1183: Attention backend not explicitly specified. Use flashinfer backend by default.
[2025-11-11 20:29:05] WARNING server_args.py:1200: Cuda graph is disabled because of using torch native attention backend
[2026-03-21 03:31:56] INFO engine.py:177: server_args=ServerArgs(model_path='qwen/qwen2.5-0.5b-instruct', attention_backend='flashinfer', disable_cuda_graph=True)
`
	vllm064 = `INFO 11-27 02:01:37 api_server.py:585] vLLM API server version 0.6.4.post1
INFO 11-27 02:01:37 api_server.py:586] args: Namespace(subparser='serve', model_tag='/m', host=None, port=8000, allowed_origins=['*'], api_key='sk-verysecret', ssl_keyfile=None, quantization='awq', dispatch_function=<function serve at 0x7ff016b7a200>)
INFO 11-27 02:01:40 llm_engine.py:234] Initializing an LLM engine (v0.6.4.post1) with config: model='/m', speculative_config=None, dtype=torch.float16, max_seq_len=131072, load_format=LoadFormat.AUTO, tensor_parallel_size=2, quantization=awq_marlin, kv_cache_dtype=auto, decoding_config=DecodingConfig(guided_decoding_backend='xgrammar'), served_model_name=llama, pooler_config=None, compilation_config={"splitting_ops":["vllm.unified_attention"],"use_inductor":true,"capture_sizes":[256,248]}, use_cached_outputs=True, 
`
	vllm011 = `(APIServer pid=5385) INFO 11-03 05:51:44 [api_server.py:1839] vLLM API server version 0.11.0
(APIServer pid=5385) INFO 11-03 05:51:44 [utils.py:233] non-default args: {'model_tag': '/m', 'port': 8005, 'dtype': 'half', 'lora_modules': [LoRAModulePath(name='risky', path='r', base_model_name=None)], 'served_model_name': ['Qwen32b'], 'tensor_parallel_size': 2}
` + "\x1b[1;36m(EngineCore_0 pid=82)\x1b[0;0m" + ` INFO 08-27 21:02:33 [cuda.py:328] Using Flash Attention backend on V1 engine.
(EngineCore pid=163) INFO 03-20 10:08:31 [core.py:61] Initializing a V1 LLM engine (v0.11.0) with config: model='/m', dtype=torch.float16, max_seq_len=4096, tensor_parallel_size=2, served_model_name=Qwen32b
`
)
