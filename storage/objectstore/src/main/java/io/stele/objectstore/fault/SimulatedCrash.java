package io.stele.objectstore.fault;

import java.io.IOException;

/** The process is to be thought dead from here on: whatever it still tries fails with this. */
public final class SimulatedCrash extends IOException {
    private static final long serialVersionUID = 1L;

    public SimulatedCrash(String message) {
        super(message);
    }
}
