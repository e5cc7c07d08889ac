package io.stele.objectstore;

import io.stele.objectstore.encryption.TestKeys;

/** The contract of object stores on a real S3 server, whose objects are encrypted. */
final class EncryptedS3ObjectStoreIT extends S3ObjectStoreIT {
    @Override
    ObjectStore store() {
        return TestKeys.encryption("k").over(super.store());
    }
}
