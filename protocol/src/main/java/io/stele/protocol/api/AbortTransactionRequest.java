package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/** Gives a transaction up: its rows are forgotten, its files are collected. */
public record AbortTransactionRequest(String transactionId) {
    public AbortTransactionRequest {
        requireNonNull(transactionId, "transactionId is null");
    }
}
