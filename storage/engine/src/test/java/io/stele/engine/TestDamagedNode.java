package io.stele.engine;

import java.io.IOException;

/** Damage of a node whose objects and log are plain. */
final class TestDamagedNode extends DamagedNodeContract {
    TestDamagedNode() throws IOException {
        super(false, 24);
    }
}
