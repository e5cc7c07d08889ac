package io.stele.objectstore;

import java.time.Instant;
import java.time.InstantSource;

class TestInMemoryObjectStore extends ObjectStoreContract {
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    @Override
    ObjectStore store() {
        return new InMemoryObjectStore(InstantSource.fixed(NOW));
    }

    @Override
    Instant now() {
        return NOW;
    }
}
