package io.stele.objectstore.fault;

import java.io.IOException;

/** A simulated crash of the process: everything that it still tries fails with this. */
public final class SimulatedCrash extends IOException {
    private static final long serialVersionUID = 1L;

    public SimulatedCrash(String message) {
        super(message);
    }
}
