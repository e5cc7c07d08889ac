/** The Java client: routes rows to shards, batches, pipelines, and retries without doubling. */
@NullMarked
package io.stele.protocol.client;

import org.jspecify.annotations.NullMarked;
