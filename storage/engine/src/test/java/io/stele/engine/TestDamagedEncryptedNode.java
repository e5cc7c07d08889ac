package io.stele.engine;

import java.io.IOException;

/**
 * Damage of a node whose objects and log are encrypted. Every byte is below a tag that is checked
 * before anything is made of it, so few flips say what many do.
 */
final class TestDamagedEncryptedNode extends DamagedNodeContract {
    TestDamagedEncryptedNode() throws IOException {
        super(true, 12);
    }
}
