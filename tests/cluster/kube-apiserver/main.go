// The kube-apiserver of Kubernetes, unchanged: `npm run test:cluster` builds it and lets our clients work against it.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
