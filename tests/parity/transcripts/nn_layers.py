"""Text, errors and defaults of layers, and layers that PyTorch has no samples of. Run by test_nn_parity.py."""

import torch

# %% text of Linear and convolutions
nn = torch.nn
nn.Linear(2, 3), nn.Linear(2, 3, bias=False), nn.Linear(2, 3, dtype=torch.float64).weight.dtype
nn.Conv1d(2, 4, 3), nn.Conv2d(2, 4, (3, 1), stride=2, padding=(1, 0), dilation=2, groups=2, bias=False)
nn.Conv2d(2, 4, 3, padding="same"), nn.Conv2d(2, 4, 3, padding="valid", padding_mode="reflect")
nn.Conv2d(2, 4, 3, padding_mode="circular", padding=1)._reversed_padding_repeated_twice
nn.Conv2d(2, 4, (3, 4), padding="same")._reversed_padding_repeated_twice
nn.Conv2d(2, 4, 3).kernel_size, nn.Conv1d(2, 4, 3).stride, nn.Conv2d(2, 4, 3).weight.shape
nn.LazyConv2d(4, 3), nn.LazyLinear(3)

# %% errors of convolutions
nn = torch.nn
nn.Conv2d(3, 4, 3, groups=2)
nn.Conv2d(4, 3, 3, groups=2)
nn.Conv2d(4, 4, 3, groups=0)
nn.Conv2d(4, 4, 3, padding="same", stride=2)
nn.Conv2d(4, 4, 3, padding="other")  # types
nn.Conv2d(4, 4, 3, padding_mode="other")  # types
nn.Conv2d(2, 4, 3)(torch.ones(1, 3, 5, 5))
nn.Conv2d(2, 4, 3)(torch.ones(5, 5))
nn.Conv1d(2, 4, 3)(torch.ones(1, 2, 2))
nn.LazyConv2d(4, 3)(torch.ones(5, 5))
nn.LazyConv2d(4, 3, groups=2)(torch.ones(1, 3, 5, 5))
nn.Linear(2, 3)(torch.ones(2, 4))
nn.Linear(2, 3)(torch.ones(4))

# %% padding modes of convolutions
nn = torch.nn
torch.manual_seed(0)
x = torch.arange(25.0).reshape(1, 1, 5, 5)
nn.Conv2d(1, 1, 3, padding="same")(x)
nn.Conv2d(1, 1, (3, 2), padding="same", dilation=2)(x)

# %% text of activations
nn = torch.nn
nn.ReLU(), nn.ReLU(inplace=True), nn.ReLU6(True), nn.ELU(), nn.ELU(2.0, True), nn.CELU(), nn.SELU(True), nn.GELU()
nn.GELU("tanh"), nn.GLU(), nn.Hardtanh(), nn.Hardtanh(-2, 2, True), nn.Hardswish(True)
nn.Hardsigmoid(True), nn.SiLU(True)
nn.Mish(True), nn.LeakyReLU(), nn.LeakyReLU(0.2, True), nn.Threshold(1, 2), nn.Threshold(1, 2, True), nn.Softplus()
nn.Softplus(2, 3), nn.Hardshrink(), nn.Softshrink(0.25), nn.Softmax(), nn.Softmax(1), nn.Softmin(0), nn.LogSoftmax(-1)
nn.Softmax2d(), nn.Tanh(), nn.Sigmoid(), nn.LogSigmoid(), nn.Softsign(), nn.Tanhshrink()
nn.Hardtanh(2, 1)
nn.Hardtanh(min_value=-3, max_value=4)
nn.Softmax2d()(torch.ones(2))
nn.ReLU().inplace, nn.LeakyReLU().negative_slope, nn.GLU().dim

# %% activations in place
nn = torch.nn
def changed(layer):
    x = torch.tensor([-1.0, 0.5, 7.0])
    y = layer(x)
    return y.data_ptr() == x.data_ptr(), x
[changed(layer) for layer in (nn.ReLU(True), nn.ReLU6(True), nn.ELU(1.0, True), nn.SELU(True))]
[changed(layer) for layer in (nn.Hardtanh(-1, 1, True), nn.Hardswish(True))]
[changed(layer) for layer in (nn.CELU(1.0, True), nn.LeakyReLU(0.1, True), nn.Threshold(0, 5, True))]
[changed(layer) for layer in (nn.Hardsigmoid(True), nn.SiLU(True), nn.Mish(True), nn.ReLU(), nn.Dropout(0.0, True))]

# %% dropout
nn = torch.nn
torch.manual_seed(0)
m = nn.Dropout(0.5)
m
m(torch.ones(6))
m.eval()(torch.ones(3))
nn.Dropout(1.5)
nn.Dropout(-0.1)
nn.Dropout(0.3, inplace=True)

# %% text of losses
nn = torch.nn
nn.MSELoss(), nn.CrossEntropyLoss(), nn.NLLLoss(torch.ones(2)), nn.BCEWithLogitsLoss(), nn.KLDivLoss(), nn.HuberLoss()
nn.MSELoss(reduction="sum").reduction, nn.MSELoss(size_average=False).reduction, nn.MSELoss(reduce=False).reduction
nn.MSELoss(True, False).reduction, nn.L1Loss(size_average=True).reduction
list(nn.CrossEntropyLoss(torch.ones(3)).state_dict()), list(nn.BCEWithLogitsLoss().state_dict())
nn.CrossEntropyLoss().ignore_index, nn.CrossEntropyLoss(label_smoothing=0.1).label_smoothing
nn.HuberLoss(delta="x")
nn.MultiMarginLoss(p=3)
nn.MultiMarginLoss(weight=torch.ones(2, 2))
nn.TripletMarginLoss(margin=0)
nn.GaussianNLLLoss("mean")  # types
nn.NLLLoss2d()
nn.CTCLoss(blank=1).blank, nn.MultiLabelMarginLoss(), nn.HingeEmbeddingLoss(2.0).margin

# %% losses without samples
nn = torch.nn
a, p, n = torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 1.0]]), torch.tensor([[0.5, 0.0]])
nn.TripletMarginLoss()(a, p, n), nn.TripletMarginLoss(margin=2.0, p=1, swap=True, reduction="sum")(a, p, n)
nn.NLLLoss(ignore_index=1)(torch.tensor([[-1.0, -2.0], [-3.0, -4.0]]), torch.tensor([0, 1]))
nn.CrossEntropyLoss(torch.tensor([1.0, 2.0]), label_smoothing=0.1)(torch.tensor([[1.0, 2.0]]), torch.tensor([1]))
nn.CrossEntropyLoss()(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.5, 0.5]]))
nn.CrossEntropyLoss().to(torch.float64).weight
nn.MSELoss()(torch.ones(2), torch.zeros(3))
nn.L1Loss(reduction="other")(torch.ones(2), torch.zeros(2))

# %% flatten and unflatten
nn = torch.nn
nn.Flatten(), nn.Flatten(0, 2), nn.Unflatten(1, (2, 3)), nn.Unflatten(-1, [2, -1])
nn.Flatten()(torch.ones(2, 3, 4)).shape, nn.Flatten(0)(torch.ones(2, 3)).shape
nn.Unflatten(1, (2, 3))(torch.ones(2, 6)).shape
nn.Unflatten(1, torch.Size([2, -1]))(torch.ones(2, 6)).shape
nn.Unflatten(1, 3)
nn.Unflatten(1, (2, "x"))
nn.Unflatten(1, (4, 4))(torch.ones(2, 6))
nn.Flatten(3)(torch.ones(2))

# %% padding with numbers
nn = torch.nn
nn.ConstantPad1d(2, 3.5), nn.ConstantPad2d((1, 2, 3, 4), 0), nn.ConstantPad3d(1, 2.0), nn.ZeroPad1d(1)
nn.ZeroPad2d((1, 0, 2, 0))
nn.ConstantPad1d((1, 2), 3.5)(torch.ones(1, 2)), nn.ZeroPad2d(1)(torch.ones(1, 1, 1)).shape

# %% norms
nn = torch.nn
nn.BatchNorm1d(3), nn.BatchNorm2d(3, eps=1e-3, momentum=None, affine=False, track_running_stats=False)
nn.BatchNorm3d(3, bias=False), nn.InstanceNorm2d(3), nn.InstanceNorm1d(3, affine=True), nn.LayerNorm(3)
nn.LayerNorm((2, 3), bias=False), nn.LayerNorm([2, 3], elementwise_affine=False), nn.GroupNorm(2, 4)
nn.GroupNorm(2, 4, affine=False)
nn.GroupNorm(2, 4, bias=False), nn.RMSNorm(3), nn.RMSNorm((2, 3), eps=1e-4, elementwise_affine=False)
nn.LazyBatchNorm1d()
nn.GroupNorm(3, 4)
list(nn.BatchNorm1d(3).state_dict()), list(nn.BatchNorm1d(3, affine=False).state_dict())
nn.BatchNorm1d(3).num_batches_tracked
nn.BatchNorm1d(3)._version, nn.BatchNorm1d(3, bias=False).bias, nn.LayerNorm(3, bias=False).bias
nn.BatchNorm1d(3)(torch.ones(2, 3, 4, 5))
nn.BatchNorm2d(3)(torch.ones(2, 3))
nn.BatchNorm3d(3)(torch.ones(2, 3))
nn.InstanceNorm1d(3)(torch.ones(2))
nn.InstanceNorm2d(3)(torch.ones(2, 3))
nn.InstanceNorm2d(3, affine=True)(torch.ones(1, 2, 3, 3))
nn.BatchNorm1d(3)(torch.ones(2, 4))
nn.BatchNorm1d(3)(torch.ones(1, 3))
nn.LayerNorm(3)(torch.ones(2, 4))

# %% running statistics
nn = torch.nn
m = nn.BatchNorm1d(2)
x = torch.tensor([[1.0, 5.0], [3.0, 9.0]])
m(x)
m.running_mean, m.running_var, m.num_batches_tracked
m(x * 2)
m.running_mean, m.running_var, m.num_batches_tracked
m.eval()(x)
m.num_batches_tracked
m.reset_running_stats()
m.running_mean, m.running_var, m.num_batches_tracked
m = nn.BatchNorm1d(2, momentum=None)
_ = m(x), m(x + 1), m(x + 5)
m.running_mean, m.running_var
m = nn.BatchNorm1d(2, track_running_stats=False).eval()
m(x)
m = nn.LazyBatchNorm1d(affine=True)
list(m.state_dict())
m(x).shape, m, type(m).__name__, m.running_mean
type(m.running_mean).__name__ == type(x).__name__
nn.LazyInstanceNorm1d(affine=True, track_running_stats=True)(torch.ones(1, 2, 3)).shape

# %% norms of old files
nn = torch.nn
m = nn.BatchNorm1d(2)
s = m.state_dict()
del s["num_batches_tracked"]
m.load_state_dict(s)
del s._metadata
m.load_state_dict(s)
m.num_batches_tracked
i = nn.InstanceNorm1d(2)
old = {"running_mean": torch.zeros(2), "running_var": torch.ones(2)}
i.load_state_dict(old)
i.load_state_dict({})

# %% embeddings
nn = torch.nn
torch.manual_seed(0)
m = nn.Embedding(4, 2, padding_idx=-1)
m, m.weight, m.padding_idx
m(torch.tensor([[1, 3]]))
nn.Embedding(4, 2, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True), nn.Embedding(4, 2, sparse=True)
nn.Embedding(4, 2, padding_idx=4)
nn.Embedding(4, 2, padding_idx=-5)
nn.Embedding(4, 2, _weight=torch.ones(3, 2))
e = nn.Embedding.from_pretrained(torch.ones(3, 2))
e, e.weight.requires_grad, nn.Embedding.from_pretrained(torch.ones(3, 2), freeze=False).weight.requires_grad
nn.Embedding.from_pretrained(torch.ones(3))
m(torch.tensor([5]))
m(torch.tensor([1.0]))
m(torch.tensor([1, 3, 3])).sum().backward()
m.weight.grad
b = nn.EmbeddingBag(4, 2, mode="sum", padding_idx=0)
b, nn.EmbeddingBag(4, 2), nn.EmbeddingBag(4, 2, max_norm=1.0, norm_type=3, scale_grad_by_freq=True)
b(torch.tensor([1, 2, 0]), torch.tensor([0, 1]))
b(torch.tensor([[1, 2], [0, 0]]))
b(torch.tensor([[1, 2]]), per_sample_weights=torch.tensor([[0.5, 2.0]]))
nn.EmbeddingBag(4, 2, padding_idx=9)
nn.EmbeddingBag.from_pretrained(torch.ones(3, 2), mode="max")(torch.tensor([[1, 2]]))
nn.EmbeddingBag(4, 2)(torch.tensor([1]))
nn.EmbeddingBag(4, 2, _weight=torch.ones(1))

# %% adaptive softmax
nn = torch.nn
torch.manual_seed(0)
m = nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[3, 6], div_value=2.0, head_bias=True)
m
x, y = torch.randn(5, 8), torch.tensor([0, 2, 4, 11, 7])
out = m(x, y)
out
out.output, out.loss
m.log_prob(x), m.predict(x)
out.loss.backward()
m.head.weight.grad, m.tail[1][0].weight.grad
m(x[0], y[0])
m(x, torch.tensor([0, 1, 2, 3, 12]))
m(x, torch.tensor([0, 1]))
m(x[0], torch.tensor([0]))
m(x, torch.tensor(0))
m(x, torch.ones(2, 2))
nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[])
nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[6, 3])
nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[12])
nn.AdaptiveLogSoftmaxWithLoss(8, 12, cutoffs=[2.5])
m.reset_parameters()

# %% legacy weights of files
nn = torch.nn
a, b = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2)), None
list(a.state_dict()), a.state_dict()._metadata
a(torch.ones(2, 1, 4, 4)).shape
a

# %% tables of complex numbers learn nothing
table = torch.ones(3, 2, dtype=torch.complex64, requires_grad=True)
torch.embedding(table, torch.tensor([1]))
torch.nn.functional.embedding(torch.tensor([1]), table)
torch.embedding(table.detach(), torch.tensor([1]))
