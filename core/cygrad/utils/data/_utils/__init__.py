"""Parts of `DataLoader`: fetching and collating samples, and the processes that do so in the background."""
from cygrad.utils.data._utils import collate, fetch, pin_memory, worker
