/**
 * The client of a Flight port: actions, streams of batches in both directions, watches.
 *
 * <p>The Java client, the connector and benchmarks call it. It touches only the network and module
 * protocol.
 */
@NullMarked
package io.stele.client.flight;

import org.jspecify.annotations.NullMarked;
