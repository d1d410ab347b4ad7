"""If one of these fails, a tensor on `meta` prints, computes its geometry or refuses otherwise than PyTorch's."""
import copy
import io
import pickle

import cygrad
import pytest
import torch

CASES = """
x
repr(torch.nn.Parameter(x))
repr(x.requires_grad_()*2)
x.device
x.is_meta
x+1
(x@x.t())
x[0]
x[:,1:]
x.t().stride()
x.sum()
x.sum(0)
x.max(0)
x.tolist()
x.item()
x[0,0].item()
x.numpy()
x.cpu()
x.to('cpu')
x.to('meta') is x
torch.ones(2).to('meta')
torch.tensor([1,2],device='meta')
torch.arange(5,device='meta')
torch.rand(2,device='meta')
torch.randn(2,3,device='meta').shape
torch.zeros_like(x)
torch.empty_like(x,device='cpu').shape
bool(x[0,0])
float(x[0,0])
int(x[0,0])
x.add_(1)
x.copy_(torch.ones(2,3))
torch.ones(2,3).copy_(x)
x + torch.tensor(1.)
x.data_ptr()
x.untyped_storage() .nbytes()| x.storage_offset()
x == x
torch.allclose(x,x)
x.clone()
x.view(6)
x.view(7)
torch.cat([x,x])
torch.linalg.inv(x[:, :2])
torch.linalg.svd(x)[0].shape
x.sort()[0].shape
x.cumsum(0).shape
torch.igamma(x, x[:1]).shape
torch.nn.functional.softmax(x,-1)
torch.nn.functional.conv2d(torch.empty(1,3,8,8,device='meta'),torch.empty(4,3,3,3,device='meta')).shape
torch.nn.functional.layer_norm(x,(3,)).shape
torch.nn.functional.embedding(torch.zeros(4,dtype=torch.long,device='meta'),x).shape
x.gather(0,torch.zeros(1,3,dtype=torch.long,device='meta')).shape
torch.nn.Linear(3,4,device='meta')(x)
torch.nn.Linear(3,4,device='meta').weight.requires_grad
torch.nn.Linear(3,4).to('meta').weight.device
torch.nn.Linear(3,4,device='meta').to('cpu')
torch.nn.Linear(3,4,device='meta').to_empty(device='cpu').weight.shape
(lambda y: (y.sum().backward(), y.grad))(torch.empty(2,3,device='meta',requires_grad=True))
x.half()
x.int().float()
x.stride()
torch.empty(10**6,10**6,device='meta').shape
torch.empty(10**6,10**6,device='meta').t()[5:].shape
x.is_contiguous()
torch.where(x>0,x,x)
x.masked_fill(x>0,1.)
x.index_select(0,torch.tensor([0],device='meta'))
torch.device('meta')
torch.device('meta',0)
x.expand(4,2,3).stride()
x.std()
x.var(0).shape
x.norm()
x.mean(1)
torch.einsum('ij,kj->ik',x,x).shape
x.argmax()
torch.bmm(torch.empty(2,3,4,device='meta'),torch.empty(2,4,5,device='meta')).shape
x.new_zeros(2)
x.fill_(1)
x.zero_()
x.uniform_()
copy.deepcopy(x)
pickle.loads(pickle.dumps(x))
len(x)
x.is_cpu
x.grad
x.__array__()
list(x)[0]
f'{x[0,0]}'
x.type()
torch.nn.LSTM(3,4,device='meta')(torch.empty(5,2,3,device='meta'))[0].shape
torch.nn.MultiheadAttention(4,2,device='meta')(*[torch.empty(5,2,4,device='meta')]*3)[0].shape
torch.nn.BatchNorm1d(3,device='meta')(x).shape
x.exp_().requires_grad
torch.optim.SGD([torch.empty(2,device='meta',requires_grad=True)],lr=.1).step()
torch.nn.functional.cross_entropy(x,torch.zeros(2,dtype=torch.long,device='meta'))
torch.fft.fft(x).dtype
x.topk(2)[1].dtype
x.tril().shape
torch.eye(3,device='meta')
torch.linspace(0,1,5,device='meta')
torch.full((2,),3.,device='meta')
torch.randint(0,5,(3,),device='meta').dtype
torch.randperm(4,device='meta').shape
x.median()
x.repeat(2,2).shape
torch.stack([x,x]).shape
x.split(1)[0].shape
x.index_put((torch.tensor([0],device='meta'),),torch.empty(3,device='meta')).shape
x.scatter_add(0,torch.zeros(1,3,dtype=torch.long,device='meta'),x).shape
torch.dropout(x,.5,True).shape
x.repeat_interleave(2).shape
torch.save(x, io.BytesIO())
torch.is_nonzero(x[0,0])
1 in x
torch.einsum('ii',x)
torch.det(x[:, :2])
x.any()
x.all(0)
x.logsumexp(0)
x.prod()
x.dist(x)
"""


def text_of(statement, module):
    """What a statement shows with a module: the text of its value, or its error."""
    space = {"torch": module, "x": module.empty(2, 3, device="meta"), "copy": copy, "pickle": pickle, "io": io}
    try:
        found = repr(eval(statement, space))
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return found.replace("cygrad", "torch")


@pytest.mark.parametrize("statement", CASES.strip().split("\n"))
def test_it_is_as_in_pytorch(statement):
    assert text_of(statement, cygrad) == text_of(statement, torch)
