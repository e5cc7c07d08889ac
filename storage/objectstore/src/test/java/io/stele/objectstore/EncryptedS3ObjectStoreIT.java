package io.stele.objectstore;

import io.stele.objectstore.encryption.TestKeys;
import io.stele.testing.LongTests;

/**
 * The contract of object stores on a real S3 server, whose objects are encrypted. Their names are
 * not: lists are those of the other class.
 */
@LongTests("listsMoreThanAPage")
final class EncryptedS3ObjectStoreIT extends S3ObjectStoreIT {
    @Override
    ObjectStore store() {
        return TestKeys.encryption("k").over(super.store());
    }
}
