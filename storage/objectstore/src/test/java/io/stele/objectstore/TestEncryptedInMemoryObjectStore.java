package io.stele.objectstore;

import io.stele.objectstore.encryption.TestKeys;
import java.time.Instant;

/** The contract of object stores, where what is in memory is encrypted. */
class TestEncryptedInMemoryObjectStore extends ObjectStoreContract {
    @Override
    ObjectStore store() {
        return TestKeys.encryption("k").over(new InMemoryObjectStore());
    }

    @Override
    Instant now() {
        return Instant.EPOCH;
    }
}
