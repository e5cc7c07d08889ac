package io.stele.engine;

import java.io.IOException;

/** Damage of a node whose objects and log are encrypted. */
final class TestDamagedEncryptedNode extends DamagedNodeContract {
    TestDamagedEncryptedNode() throws IOException {
        super(true);
    }
}
