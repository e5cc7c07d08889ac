/**
 * The JSON codec of requests and replies, and what an action is by its types.
 *
 * <p>All modules that speak to a sidecar, and the sidecar, may call it. It touches the JSON of
 * schemas; the packages of topics below hold the records.
 */
@NullMarked
package io.stele.protocol.api;

import org.jspecify.annotations.NullMarked;
