/**
 * The connector's view of a sidecar: discovery, requests, snapshots, leases and the warehouse. May
 * be called by all packages of {@code metadata}, {@code read} and {@code write}, and by the root
 * package. May touch {@code config} and {@code error}.
 */
@NullMarked
package io.stele.connector.sidecar;

import org.jspecify.annotations.NullMarked;
