package io.stele.flink.catalog;

import io.stele.protocol.api.Action;

/** The sender of requests to a sidecar; each takes effect once. Blocks. */
interface RequestSender {
    <Q, R> R send(Action<Q, R> action, Q request);
}
