from cygrad.nn import functional as functional
