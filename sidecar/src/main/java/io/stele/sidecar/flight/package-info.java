/** The Arrow Flight server: bulk ingest, scans and administration over gRPC. */
@NullMarked
package io.stele.sidecar.flight;

import org.jspecify.annotations.NullMarked;
