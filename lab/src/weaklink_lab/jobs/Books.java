import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/** Another team's service: keeps books in memory, more of them than its heap has room for. */
public final class Books {
    private static final List<byte[]> KEPT = new ArrayList<>();

    public static void main(String[] words) throws Exception {
        int share = Integer.parseInt(words[2]);
        long most = Runtime.getRuntime().maxMemory() / 100 * share;
        for (long held = 0; held < most; held += 1024) {
            KEPT.add(new byte[1000]);
        }
        HttpServer server =
            HttpServer.create(new InetSocketAddress(words[0], Integer.parseInt(words[1])), 512);
        server.setExecutor(Executors.newFixedThreadPool(32));
        server.createContext("/", exchange -> {
            int sum = 0;
            // Each request needs some memory for a while; a heap that is nearly full is cleaned
            // as a whole again and again.
            for (int number = 0; number < 400; number++) {
                byte[] page = new byte[64 * 1024];
                page[number] = 1;
                sum += page[number];
            }
            byte[] body = (sum + "\n").getBytes();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }
}
