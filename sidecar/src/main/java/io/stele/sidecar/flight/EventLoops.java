package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Netty's threads of the Flight port, with epoll if the machine has it, as gRPC itself would choose
 * them. They are here because gRPC accepts either all of its threads from its caller or none.
 *
 * @param listening accepts connections
 * @param serving reads and writes them
 */
record EventLoops(EventLoopGroup listening, EventLoopGroup serving) implements AutoCloseable {
    EventLoops {
        requireNonNull(listening, "listening is null");
        requireNonNull(serving, "serving is null");
    }

    static EventLoops start() {
        return new EventLoops(group(1, "flight-accept"), group(0, "flight-loop"));
    }

    /**
     * @param threads 0: twice the processors
     */
    private static EventLoopGroup group(int threads, String name) {
        ThreadFactory factory = new DefaultThreadFactory(name, true); // with fast thread locals
        return Epoll.isAvailable()
                ? new EpollEventLoopGroup(threads, factory)
                : new NioEventLoopGroup(threads, factory);
    }

    /** A channel to listen with, whose connections pass a handler first. */
    ServerChannel listenWith(ChannelHandler handler) {
        ServerChannel channel =
                Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
        channel.pipeline().addFirst(handler);
        return channel;
    }

    /** Ends the threads soon; running tasks have one second. */
    @Override
    public void close() {
        listening.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        serving.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
