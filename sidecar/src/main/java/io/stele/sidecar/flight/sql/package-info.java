/**
 * Flight SQL: its commands and actions, over the statements and plans of the PostgreSQL port.
 * Called by the Flight server alone; knows nothing of gRPC.
 */
@NullMarked
package io.stele.sidecar.flight.sql;

import org.jspecify.annotations.NullMarked;
