"""`SummaryWriter`: curves, pictures and histograms of a training run, for TensorBoard to show.

The files are written by the library tensorboardX (``pip install "cygrad[tensorboard]"``), which knows NumPy's arrays;
tensors are handed over as these. Its other arguments and the folder (``runs/DATE_HOST``) are those of PyTorch's writer.
"""
try:
    import tensorboardX      # optional dependency
except ImportError as error:
    raise ImportError("cygrad.utils.tensorboard writes by the library tensorboardX: "
                      'pip install "cygrad[tensorboard]"') from error

from cygrad import Tensor, bfloat16

__all__ = ["SummaryWriter"]


def _as_arrays(value):
    """A tensor as an array, also inside dicts, lists and tuples; anything else as it is."""
    if isinstance(value, Tensor):
        value = value.detach().cpu().resolve_conj().resolve_neg()
        return (value.float() if value.dtype == bfloat16 else value).numpy()
    if isinstance(value, dict):
        return {key: _as_arrays(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_as_arrays, value))
    return value


class SummaryWriter:
    """
    Writes what TensorBoard shows (``tensorboard --logdir runs``) into a folder.

    Its methods `add_scalar`, `add_scalars`, `add_histogram`, `add_image`, `add_images`, `add_figure`, `add_text`,
    `add_pr_curve`, `add_embedding`, `add_mesh`, `add_hparams`, ... take tensors of any device and dtype wherever
    PyTorch's take them.

    Parameters
    ----------
    log_dir : str, optional
        The folder; by default ``runs/DATE_HOST`` and the comment.
    comment : str
        Put behind the default folder's name.
    purge_step : int, optional
        After a crash: steps from this one on are hidden that an earlier run wrote.
    max_queue : int
        Events that wait to be written.
    flush_secs : int
        After how many seconds they are written at the latest.
    filename_suffix : str
        Put behind the file's name.

    Examples
    --------
    >>> from cygrad.utils.tensorboard import SummaryWriter          # doctest: +SKIP
    >>> with SummaryWriter() as writer:                             # doctest: +SKIP
    ...     for step in range(100):
    ...         writer.add_scalar("loss", 1 / (1 + step), step)
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        self._writer = tensorboardX.SummaryWriter(None if log_dir is None else str(log_dir), comment, purge_step,
                                                  max_queue, flush_secs, filename_suffix)
        self.log_dir = self._writer.logdir

    def __getattr__(self, name):
        if name.startswith("_"):        # `_writer` itself, where there is none yet, and protocols
            raise AttributeError(f"'SummaryWriter' object has no attribute {name!r}")
        found = getattr(self._writer, name)
        if not name.startswith("add_"):
            return found
        return lambda *args, **kwargs: found(*_as_arrays(args), **_as_arrays(kwargs))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def get_logdir(self):
        """The folder.

        Returns
        -------
        str
        """
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """Write a number of a curve.

        Parameters
        ----------
        tag : str
            The curve's name.
        scalar_value : float or Tensor
            A tensor of one element.
        global_step : int, optional
        walltime : float, optional
            Seconds since 1970, if not now.
        new_style, double_precision : bool
            Without effect: numbers are written as float32.
        """
        if isinstance(scalar_value, Tensor):
            scalar_value = scalar_value.item()
        self._writer.add_scalar(tag, scalar_value, global_step, walltime)

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """Write the hyperparameters of a run and what it came to.

        Parameters
        ----------
        hparam_dict : dict
            Of names to bool, str, float, int or a tensor of one element.
        metric_dict : dict
            Of names to float or a tensor of one element.
        hparam_domain_discrete : dict, optional
            Without effect: TensorBoard takes the values that it finds.
        run_name : str, optional
            The run's folder in this one; by default the time.
        global_step : int, optional
        """
        numbers = {key: value.item() if isinstance(value, Tensor) else value for key, value in hparam_dict.items()}
        metrics = {key: value.item() if isinstance(value, Tensor) else value for key, value in metric_dict.items()}
        self._writer.add_hparams(numbers, metrics, run_name, global_step)

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """Refused: there is no compiler that would find the model's graph.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError("add_graph: PyTorch's graph is what TorchScript traces, and cygrad has no compiler; "
                                  "add_text('model', str(model)) writes the modules")
