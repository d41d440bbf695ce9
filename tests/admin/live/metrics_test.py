"""The metrics of real nodes, and the list of metrics from which examples/monitoring is made.
docs/CONTROL-API.md."""
import json
import re

from tests.rigs.daemon_rig import wait_until
from tests.rigs.routers_rig import Routers
from tests.rigs.programs import ROOT

LIST = ROOT / 'examples/monitoring/metrics.json'


class Metrics(Routers):
    def samples(self, node):
        """The values by name and labels: ulnet_routes{net="tcp1",state="up"}."""
        lines = node.get('/metrics').splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(' ') for line in lines if not line.startswith('#'))}

    def routes_become(self, node, up, down):
        """Waits, because a gateway that stalls for longer than router_ping_timeout is down
        meanwhile."""
        def as_they_should():
            samples = self.samples(node)
            return [samples[f'ulnet_routes{{net="tcp1",state="{state}"}}'] for state in ('up', 'down')] == [up, down]
        wait_until(as_they_should, f'{up} routes are up and {down} are down')

    def test_a_node_and_a_router_match_the_list(self):
        near, router, _ = self.joined()
        listed = {metric['name']: metric for metric in json.loads(LIST.read_text())}
        for node in (near, router):
            types = dict(re.findall(r'^# TYPE (\w+) (\w+)$', node.get('/metrics'), re.M))
            self.assertEqual(types, {name: metric['type'] for name, metric in listed.items()})
            for sample in self.samples(node):
                name, _, labels = sample.partition('{')
                for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
                    self.assertIn(label, listed[name]['labels'], sample)
                    values = listed[name]['labels'][label]
                    self.assertTrue(values is None or value in values, sample)

    def test_routes_and_buffers_are_exported(self):
        near, router, _ = self.joined()
        self.routes_become(near, 1, 0)
        of_router = self.samples(router)
        self.assertEqual(of_router['ulnet_routing'], 1)
        self.assertGreater(of_router['ulnet_router_credits{cpt="0",size="small"}'], 0)
        self.assertEqual(self.samples(near)['ulnet_routing'], 0)
        router.stop()
        self.wait_for_routes(near, 'down')
        self.routes_become(near, 0, 1)
