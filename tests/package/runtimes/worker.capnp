using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(
    name = "main",
    worker = (
      modules = [(name = "worker", esModule = embed "worker.bundle.js")],
      compatibilityDate = "2026-11-01",
      durableObjectNamespaces = [(className = "Events", uniqueKey = "events")],
      durableObjectStorage = (inMemory = void),
      bindings = [(name = "EVENTS", durableObjectNamespace = "Events")],
    ),
  )],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
