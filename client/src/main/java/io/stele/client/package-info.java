/**
 * The Java client: routes rows to shards, batches, pipelines, and retries without doubling.
 *
 * <p>Programs, the connector and benchmarks call it. It touches only the network and module
 * protocol.
 */
@NullMarked
package io.stele.client;

import org.jspecify.annotations.NullMarked;
