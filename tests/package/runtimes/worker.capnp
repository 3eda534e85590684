using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "module", worker = .module), (name = "own", worker = .own)],
  sockets = [
    (name = "module", address = "127.0.0.1:0", http = (), service = "module"),
    (name = "own", address = "127.0.0.1:0", http = (), service = "own"),
  ],
);

const module :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "ModuleEvents", uniqueKey = "events")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "EVENTS", durableObjectNamespace = "ModuleEvents")],
);

const own :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "OwnEvents", uniqueKey = "events")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "EVENTS", durableObjectNamespace = "OwnEvents")],
);
